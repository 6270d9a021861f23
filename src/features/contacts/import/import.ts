import type pg from 'pg';
import type { NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { Clock } from '../../../platform/clock.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import type { Encoding } from '../../../platform/text/csv-text.js';
import type { CustomColumns } from '../custom/columns.js';
import { runTransactionOn } from '../transaction.js';
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
import { refuseRepeated, refuseRow } from './job-rows.js';
import { RefusedFile } from './refused-file.js';

/** Rows per transaction. */
const BATCH_ROWS = 1_000;

export interface ImportOptions {
  pool: pg.Pool;
  clock: Clock;
  path: string;
  accountId: string;
  channelId: string;
  kind: ChannelKind;
  /** Group that all contacts in the file join, including existing ones. */
  groupId: string | null;
  update: boolean;
  /** Detected or requested. */
  delimiter: string;
  encoding: Encoding;
  /** If null, numbers without a plus sign are refused. */
  country: NumbersWithoutPlus;
  restart: boolean;
  /** All contacts get these tags. */
  tags?: readonly string[];
  /** Columns of tags and of the account's fields. */
  custom?: CustomColumns;
  onProgress?(progress: ImportProgress): void;
}

export interface ImportProgress {
  rows: number;
  /** Number of rows, without those of an interrupted earlier run. */
  rowsOfRun: number;
  bytesRead: number;
}

export interface ImportResult extends ImportCounts {
  resumedAfter: number;
  ignoredColumns: string[];
  /** Null without refused rows. */
  refusedPath: string | null;
}

/**
 * Each transaction records the progress, so an interrupted import continues when it is run again with the same file and
 * options. Imports emit no events. Refused and repeated rows are written to `<path>.refused.csv`.
 * @throws {Error} Fails if the file cannot be read or the same import is running elsewhere.
 */
export async function importContacts(options: ImportOptions): Promise<ImportResult> {
  const { pool, path, accountId, channelId, kind, groupId, update, delimiter, country } = options;
  const fingerprintParts = [await hashFile(path), groupId ?? '', update ? 'update' : '', delimiter];
  if (country !== null) fingerprintParts.push(country);
  if (options.encoding !== 'utf-8') fingerprintParts.push(options.encoding);
  const { tags = [], custom = {} } = options;
  if (tags.length > 0) fingerprintParts.push(`tags ${tags.join(',')}`);
  if (Object.keys(custom).length > 0) fingerprintParts.push(`columns ${JSON.stringify(custom)}`);
  const target = { accountId, channelId, kind, groupId, update, tags, fingerprint: fingerprintParts.join(' ') };
  const client = await pool.connect();
  try {
    await claimImport(client, target);
    if (options.restart) await endImport(client, target);
    const interruptedState = await readImport(client, target);
    return await runImport(client, options, target, interruptedState);
  } finally {
    // Closing the connection releases the lock.
    client.release(true);
  }
}

async function runImport(
  client: pg.PoolClient,
  options: ImportOptions,
  target: ImportTarget,
  interrupted: ImportState | null,
): Promise<ImportResult> {
  const { path, delimiter, encoding, country, kind, custom } = options;
  const state: ImportState = interrupted ?? {
    ...{ rows: 0, created: 0, updated: 0, present: 0, repeated: 0, refused: 0 },
    ...{ startedAt: options.clock.now(), refusedBytes: 0 },
  };
  const resumedAfter = state.rows;
  const file = await openImportFile(path, { delimiter, encoding, country, kind, custom, skip: resumedAfter });
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

interface ImportRun {
  file: ImportFile;
  refused: RefusedFile;
  /** Updated after each batch. */
  state: ImportState;
}

async function importAll(
  client: pg.PoolClient,
  options: ImportOptions,
  target: ImportTarget,
  { file, refused, state }: ImportRun,
): Promise<void> {
  const before = state.rows;
  let batch: (ImportRow | RefusedRow)[] = [];
  const commitBatch = async () => {
    Object.assign(state, await importBatch(client, target, batch, refused, state));
    batch = [];
    options.onProgress?.({ rows: state.rows, rowsOfRun: state.rows - before, bytesRead: file.bytesRead() });
  };
  for await (const row of file.rows) {
    batch.push(toRowForKind(target.kind, row));
    if (batch.length === BATCH_ROWS) await commitBatch();
  }
  if (batch.length > 0) await commitBatch();
}

async function importBatch(
  client: pg.PoolClient,
  target: ImportTarget,
  batch: readonly (ImportRow | RefusedRow)[],
  refusedFile: RefusedFile,
  before: ImportState,
): Promise<ImportState> {
  const uniqueRows: ImportRow[] = [];
  const firstRowById = new Map<string, ImportRow>();
  const repeatedRows: { row: ImportRow; first: ImportRow }[] = [];
  const unreadableRows: RefusedRow[] = [];
  for (const row of batch) {
    if ('reason' in row) {
      unreadableRows.push(row);
      continue;
    }
    const ids = [row.phone, row.userId].filter((each) => each !== null);
    const first = ids.map((id) => firstRowById.get(id)).find((each) => each !== undefined);
    if (first) repeatedRows.push({ row, first });
    else uniqueRows.push(row);
    for (const id of ids) if (!firstRowById.has(id)) firstRowById.set(id, row);
  }
  const bytesBefore = refusedFile.bytes;
  return await runTransactionOn(client, async () => {
    // Removes rows that an earlier attempt wrote before a deadlock.
    await refusedFile.cutTo(bytesBefore);
    const outcomes = await importRows(client, target, uniqueRows, before.startedAt);
    const outcomeByRow = new Map(uniqueRows.map((row, index) => [row, outcomes[index]] as const));
    // If an existing contact is unchanged, its repeated rows count as `present`, like the first row.
    const repeated = repeatedRows.filter(({ first }) => outcomeByRow.get(first) !== 'present').map(({ row }) => row);
    for (const row of uniqueRows) if (outcomeByRow.get(row) === 'repeated') repeated.push(row);
    const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
    const notImported = uniqueRows.flatMap((row) => {
      const outcome = outcomeByRow.get(row);
      return typeof outcome === 'object' ? refuseRow(row, outcome.reason) : [];
    });
    const refused = [...unreadableRows, ...notImported];
    const rowsToWrite = [...refused, ...repeated.map(refuseRepeated)].sort((a, b) => a.row - b.row);
    // The rows are written before the commit, which stores the file's length. Rows that were not committed are cut off
    // when a killed import resumes.
    await refusedFile.write(rowsToWrite);
    const after = {
      ...before,
      rows: before.rows + batch.length,
      created: before.created + count('created'),
      updated: before.updated + count('updated'),
      present: before.present + count('present') + repeatedRows.length - (repeated.length - count('repeated')),
      repeated: before.repeated + repeated.length,
      refused: before.refused + refused.length,
      refusedBytes: refusedFile.bytes,
    };
    await writeImport(client, target, after);
    return after;
  });
}
