import type pg from 'pg';
import { BackgroundWork, type KeyedWorkOptions } from '../../../platform/background/background-work.js';
import type { Clock } from '../../../platform/clock.js';
import type { FaultPoints } from '../../../platform/faults.js';
import { within } from '../../../platform/store/within.js';
import type { ImportRow, RefusedRow } from './check-row.js';
import { ImportInputError } from './import-file.js';
import type { RowOutcome } from './import-people.js';
import { importRows } from './import-store.js';
import { refuseRow, refuseRepeated, type ImportInput, readAllRows, type WaitingContact } from './job-rows.js';
import {
  advanceImport,
  type BatchCounts,
  claimImportJob,
  endImportJob,
  lockImport,
  type OwnedImport,
  releaseImport,
  type ShownRefusal,
  setTotal,
} from './job-store.js';
import { type KeptRefusal, keptCells } from './refused-rows.js';
import { finishSlice, nextSlice } from './slice-store.js';

/** Rows of one transaction. */
const BATCH_ROWS = 500;
const LOOK_EVERY_MS = 500;
/** Refused rows that an import keeps with their reasons; it counts all. */
export const KEPT_REFUSALS = 1_000;
/** Characters of a refused number that are kept. */
const SHOWN_PHONE = 40;

export interface ImporterOptions extends KeyedWorkOptions {
  clock: Clock;
  faults: FaultPoints;
}

/**
 * Imports the contacts that came over HTTP. A batch of rows and the note that it is done are one transaction, so whatever
 * dies, the next look goes on behind the last row that was committed. No events are sent. Any number of processes may
 * run one.
 */
export class ContactImporter extends BackgroundWork<ImporterOptions> {
  constructor(options: ImporterOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'an import of contacts could not go on; it is tried again' });
  }

  protected override async look(signal: AbortSignal): Promise<number> {
    const job = await claimImportJob(this.options.pool);
    if (!job) return LOOK_EVERY_MS;
    try {
      await this.#work(job, signal);
    } catch (error) {
      if (!(error instanceof ImportInputError)) throw error;
      await endImportJob(this.options.pool, job.id, error.message, this.options.clock.now());
    }
    return 0;
  }

  async #work(job: OwnedImport, signal: AbortSignal): Promise<void> {
    const { pool, clock, faults } = this.options;
    if (job.slices !== null) return await this.#workSlices(job, signal);
    const rows = await readAllRows(inputOf(job), job);
    await setTotal(pool, job.id, rows.length);
    let kept = job.keptRefused;
    for (let done = job.rows; done < rows.length; done += BATCH_ROWS) {
      if (signal.aborted) return await releaseImport(pool, job.id, done);
      const batch = rows.slice(done, done + BATCH_ROWS);
      const committed = await this.#commit(job, done, batch, KEPT_REFUSALS - kept);
      // Another process took it, for this one was held up for longer than its lease.
      if (committed === null) return;
      kept += committed;
      await faults.hit('import:committed');
    }
    await endImportJob(pool, job.id, null, clock.now());
  }

  /** A slice is a batch: what was refused takes the place of its rows. */
  async #workSlices(job: OwnedImport, signal: AbortSignal): Promise<void> {
    const { pool, clock, faults } = this.options;
    let { rows: done, keptRefused: kept } = job;
    for (let slice = await nextSlice(pool, job.id); slice; slice = await nextSlice(pool, job.id)) {
      if (signal.aborted) return await releaseImport(pool, job.id, done);
      const { position, input } = slice;
      const contacts = JSON.parse(input) as WaitingContact[];
      const batch = await readAllRows({ contacts }, job);
      const committed = await within(pool, async (client) => {
        if (!(await lockImport(client, job.id, done))) return null;
        const { outcomes, good } = await this.#import(client, job, batch);
        // Within the slice a second row of a number is refused already; here it is one of another slice.
        const repeated = good.filter((_, index) => outcomes[index] === 'repeated');
        const refused = [...refusedOf(batch, good, outcomes), ...repeated.map(refuseRepeated)];
        refused.sort((one, other) => one.row - other.row);
        const shownRows = refused.slice(0, KEPT_REFUSALS - kept).map(withoutCells);
        const { present, ...counts } = countsOf(batch, good, outcomes);
        const counted = { ...counts, present: present - repeated.length, refused: refused.length };
        await advanceImport(client, job.id, counted, shownRows);
        await finishSlice(client, job.id, position, refusedInput(refused, contacts));
        return shownRows.length;
      });
      // Another process took it, for this one was held up for longer than its lease.
      if (committed === null) return;
      done += batch.length;
      kept += committed;
      await faults.hit('import:committed');
    }
    await endImportJob(pool, job.id, null, clock.now());
  }

  /** @returns how many refused rows it keeps of the batch; null where the import is another process' by now */
  async #commit(
    job: OwnedImport,
    done: number,
    batch: readonly (ImportRow | RefusedRow)[],
    mostKept: number,
  ): Promise<number | null> {
    return await within(this.options.pool, async (client) => {
      if (!(await lockImport(client, job.id, done))) return null;
      const { outcomes, good } = await this.#import(client, job, batch);
      const kept = refusedOf(batch, good, outcomes).slice(0, mostKept).map(shown);
      await advanceImport(client, job.id, countsOf(batch, good, outcomes), kept);
      return kept.length;
    });
  }

  async #import(client: pg.PoolClient, job: OwnedImport, batch: readonly (ImportRow | RefusedRow)[]) {
    const good = batch.filter((row): row is ImportRow => !('reason' in row));
    return { good, outcomes: await importRows(client, job, good, job.startedAt) };
  }
}

function countsOf(batch: readonly unknown[], good: readonly ImportRow[], outcomes: readonly RowOutcome[]): BatchCounts {
  const count = (outcome: RowOutcome) => outcomes.filter((each) => each === outcome).length;
  const refusedHere = outcomes.filter((each) => typeof each === 'object').length;
  return {
    rows: batch.length,
    created: count('created'),
    updated: count('updated'),
    present: count('present') + count('repeated'),
    refused: batch.length - good.length + refusedHere,
  };
}

/** The refused rows of a batch: those that could not be read, and those that the channel does not take. */
function refusedOf(
  batch: readonly (ImportRow | RefusedRow)[],
  good: readonly ImportRow[],
  outcomes: readonly RowOutcome[],
): RefusedRow[] {
  const reasons = new Map(good.map((row, index) => [row, outcomes[index]] as const));
  return batch.flatMap((row) => {
    if ('reason' in row) return row;
    const outcome = reasons.get(row);
    return typeof outcome === 'object' ? refuseRow(row, outcome.reason) : [];
  });
}

/** What a slice keeps of its refused rows, as they came; nothing where it has none. */
function refusedInput(refused: readonly (ImportRow | RefusedRow)[], contacts: readonly WaitingContact[]): string {
  if (refused.length === 0) return '';
  const given = new Map(contacts.map((contact) => [contact.row, contact]));
  return JSON.stringify(
    refused.map((each) => {
      const { written, phone, cells, ...contact } = given.get(each.row) ?? {};
      const { row, reason } = each as RefusedRow;
      const all = cells && { cells: keptCells(each) };
      return { ...contact, row, phone: written ?? phone, reason, ...all } satisfies KeptRefusal;
    }),
  );
}

function inputOf({ delimiter, input }: OwnedImport): ImportInput {
  return delimiter === null ? { contacts: JSON.parse(input) } : { csv: input, delimiter };
}

/** A slice keeps them itself. */
function withoutCells(row: ImportRow | RefusedRow): ShownRefusal {
  const { cells: _cells, ...rest } = shown(row);
  return rest;
}

function shown(row: ImportRow | RefusedRow): ShownRefusal {
  const { reason } = row as RefusedRow;
  const written = 'written' in row ? row.written : row.phone;
  const phone = written?.slice(0, SHOWN_PHONE).replaceAll('\0', '\uFFFD').toWellFormed();
  return { row: row.row, phone: phone ?? null, reason, cells: keptCells(row) };
}
