import type pg from 'pg';
import type { NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import type { Encoding } from '../../../platform/text/csv-text.js';
import { transactionOn } from '../transaction.js';
import { type ImportRow, type RefusedRow, toRowForKind } from './check-row.js';
import { hashFile, type ImportFile, openImportFile } from './import-file.js';
import {
  claimImport,
  endImport,
  type ImportCounts,
  type ImportState,
  type ImportTarget,
  importRows,
  readImport,
  writeImport,
} from './import-store.js';
import { refuseRow, refuseRepeated } from './job-rows.js';
import { RefusedFile } from './refused-file.js';

/** Rows of one transaction. */
const BATCH_ROWS = 1_000;

export interface ImportOptions {
  /** One of its connections is held for the whole import. */
  pool: pg.Pool;
  clock: Clock;
  path: string;
  accountId: string;
  channelId: string;
  kind: ChannelKind;
  /** All contacts of the file become members of it, those that the channel had included. */
  groupId: string | null;
  update: boolean;
  /** As `surveyFile` found them, or as somebody said. */
  delimiter: string;
  encoding: Encoding;
  /** How numbers without a plus sign are read; null: they are refused. */
  country: NumbersWithoutPlus;
  /** Begins anew where an import of the same file was interrupted. */
  restart: boolean;
  /** Told after each batch. */
  onProgress?(progress: ImportProgress): void;
}

export interface ImportProgress {
  /** Rows that are done, those of an earlier, interrupted run included. */
  rows: number;
  /** Rows that this run has done. */
  rowsOfRun: number;
  bytesRead: number;
}

export interface ImportResult extends ImportCounts {
  /** Rows that an earlier, interrupted run had done. */
  resumedAfter: number;
  /** Headings of columns that are not imported. */
  ignoredColumns: string[];
  /** Where the refused rows are; null when there are none. */
  refusedPath: string | null;
}

/**
 * Imports contacts from a CSV file, a thousand rows in one transaction, with what an interrupted import needs to go on:
 * run again with the same file and options, it continues behind the last row that was committed. No events are sent.
 * Rows that cannot be imported, and those whose number is in an earlier row, are written to `<path>.refused.csv`.
 * @throws Error when the file cannot be read, or while the same import is running elsewhere
 */
export async function importContacts(options: ImportOptions): Promise<ImportResult> {
  const { pool, path, accountId, channelId, kind, groupId, update, delimiter, country } = options;
  const how = [await hashFile(path), groupId ?? '', update ? 'update' : '', delimiter];
  if (country !== null) how.push(country);
  if (options.encoding !== 'utf-8') how.push(options.encoding);
  const target = { accountId, channelId, kind, groupId, update, fingerprint: how.join(' ') };
  const client = await pool.connect();
  try {
    await claimImport(client, target);
    if (options.restart) await endImport(client, target);
    const known = await readImport(client, target);
    return await run(client, options, target, known);
  } finally {
    // Its end gives the claim back.
    client.release(true);
  }
}

async function run(
  client: pg.PoolClient,
  options: ImportOptions,
  target: ImportTarget,
  known: ImportState | null,
): Promise<ImportResult> {
  const { path, delimiter, encoding, country, kind } = options;
  const state: ImportState = known ?? {
    ...{ rows: 0, created: 0, updated: 0, present: 0, repeated: 0, refused: 0 },
    ...{ startedAt: options.clock.now(), refusedBytes: 0 },
  };
  const resumedAfter = state.rows;
  const file = await openImportFile(path, { delimiter, encoding, country, kind, skip: resumedAfter });
  const refused = await RefusedFile.open(`${path}.refused.csv`, file.header, delimiter, state.refusedBytes);
  try {
    await importAll(client, options, target, { file, refused, state });
  } finally {
    await refused.close();
  }
  await endImport(client, target);
  const { startedAt: _startedAt, refusedBytes, ...counts } = state;
  const { ignoredColumns } = file;
  return { ...counts, resumedAfter, ignoredColumns, refusedPath: refusedBytes > 0 ? refused.path : null };
}

interface Run {
  file: ImportFile;
  refused: RefusedFile;
  /** Brought up to date after each batch. */
  state: ImportState;
}

async function importAll(
  client: pg.PoolClient,
  options: ImportOptions,
  target: ImportTarget,
  { file, refused, state }: Run,
): Promise<void> {
  const before = state.rows;
  let batch: (ImportRow | RefusedRow)[] = [];
  const finish = async () => {
    Object.assign(state, await importBatch(client, target, batch, refused, state));
    batch = [];
    options.onProgress?.({ rows: state.rows, rowsOfRun: state.rows - before, bytesRead: file.bytesRead() });
  };
  for await (const row of file.rows) {
    batch.push(toRowForKind(target.kind, row));
    if (batch.length === BATCH_ROWS) await finish();
  }
  if (batch.length > 0) await finish();
}

async function importBatch(
  client: pg.PoolClient,
  target: ImportTarget,
  batch: readonly (ImportRow | RefusedRow)[],
  refusedFile: RefusedFile,
  before: ImportState,
): Promise<ImportState> {
  const unique: ImportRow[] = [];
  const firsts = new Map<string, ImportRow>();
  const again: { row: ImportRow; first: ImportRow }[] = [];
  const unread: RefusedRow[] = [];
  for (const row of batch) {
    if ('reason' in row) {
      unread.push(row);
      continue;
    }
    const ids = [row.phone, row.userId].filter((each) => each !== null);
    const first = ids.map((id) => firsts.get(id)).find((each) => each !== undefined);
    if (first) again.push({ row, first });
    else unique.push(row);
    for (const id of ids) if (!firsts.has(id)) firsts.set(id, row);
  }
  const written = refusedFile.bytes;
  return await transactionOn(client, async () => {
    // A try before this one may have written rows, and then met a deadlock.
    await refusedFile.cutTo(written);
    const outcomes = await importRows(client, target, unique, before.startedAt);
    const outcomeOf = new Map(unique.map((row, index) => [row, outcomes[index]] as const));
    // A second row of a contact that the channel had and that was left alone is no more than the first.
    const repeated = again.filter(({ first }) => outcomeOf.get(first) !== 'present').map(({ row }) => row);
    for (const row of unique) if (outcomeOf.get(row) === 'repeated') repeated.push(row);
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    const untaken = unique.flatMap((row) => {
      const outcome = outcomeOf.get(row);
      return typeof outcome === 'object' ? refuseRow(row, outcome.reason) : [];
    });
    const refused = [...unread, ...untaken];
    const told = [...refused, ...repeated.map(refuseRepeated)].sort((one, other) => one.row - other.row);
    // Before the commit, which notes the length: what a killed import wrote beyond is cut off when it goes on.
    await refusedFile.write(told);
    const after = {
      ...before,
      rows: before.rows + batch.length,
      created: before.created + count('created'),
      updated: before.updated + count('updated'),
      present: before.present + count('present') + again.length - (repeated.length - count('repeated')),
      repeated: before.repeated + repeated.length,
      refused: before.refused + refused.length,
      refusedBytes: refusedFile.bytes,
    };
    await writeImport(client, target, after);
    return after;
  });
}
