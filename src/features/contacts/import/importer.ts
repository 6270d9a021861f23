import type pg from 'pg';
import { type BackgroundStoreOptions, BackgroundWork } from '../../../platform/background/background-work.js';
import type { Clock } from '../../../platform/clock.js';
import type { FaultPoints } from '../../../platform/faults.js';
import { withTransaction } from '../../../platform/store/with-transaction.js';
import type { ImportRow, RefusedRow } from './check-row.js';
import { ImportInputError } from './import-file.js';
import type { RowOutcome } from './import-people.js';
import { importRows } from './import-store.js';
import { type ImportInput, readAllRows, refuseRepeated, refuseRow, type WaitingContact } from './job-rows.js';
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
import { type StoredRefusal, toStorableCells } from './refused-rows.js';
import { findNextSlice, finishSlice } from './slice-store.js';

/** Rows per transaction. */
const BATCH_ROWS = 500;
const POLL_INTERVAL_MS = 500;
export const MAX_STORED_REFUSALS = 1_000;
/** Longer numbers are truncated in stored refusals. */
const MAX_PHONE_LENGTH = 40;

export interface ImporterOptions extends BackgroundStoreOptions {
  clock: Clock;
  faults: FaultPoints;
}

/** After a crash, another process continues the import after the last committed batch. Imports emit no events. */
export class ContactImporter extends BackgroundWork<ImporterOptions> {
  constructor(options: ImporterOptions) {
    super(options, { everyMs: POLL_INTERVAL_MS, failure: 'an import of contacts failed; it will be repeated' });
  }

  protected override async poll(signal: AbortSignal): Promise<number> {
    const job = await claimImportJob(this.options.pool);
    if (!job) return POLL_INTERVAL_MS;
    try {
      await this.#runJob(job, signal);
    } catch (error) {
      if (!(error instanceof ImportInputError)) throw error;
      await endImportJob(this.options.pool, job.id, error.message, this.options.clock.now());
    }
    return 0;
  }

  async #runJob(job: OwnedImport, signal: AbortSignal): Promise<void> {
    const { pool, clock, faults } = this.options;
    if (job.slices !== null) return await this.#runSlices(job, signal);
    const rows = await readAllRows(toInput(job), { kind: job.kind, custom: job.fieldColumns ?? undefined });
    await setTotal(pool, job.id, rows.length);
    let storedCount = job.keptRefused;
    for (let done = job.rows; done < rows.length; done += BATCH_ROWS) {
      if (signal.aborted) return await releaseImport(pool, job.id, done);
      const batch = rows.slice(done, done + BATCH_ROWS);
      const committed = await this.#commit(job, done, batch, MAX_STORED_REFUSALS - storedCount);
      // The lease ran out, so another process has taken over the import.
      if (committed === null) return;
      storedCount += committed;
      await faults.hit('import:committed');
    }
    await endImportJob(pool, job.id, null, clock.now());
  }

  /** Imports each slice as one batch, and then keeps only the slice's refused rows. */
  async #runSlices(job: OwnedImport, signal: AbortSignal): Promise<void> {
    const { pool, clock, faults } = this.options;
    let { rows: done, keptRefused: storedCount } = job;
    for (let slice = await findNextSlice(pool, job.id); slice; slice = await findNextSlice(pool, job.id)) {
      if (signal.aborted) return await releaseImport(pool, job.id, done);
      const { position, input } = slice;
      const contacts = JSON.parse(input) as WaitingContact[];
      const batch = await readAllRows({ contacts }, { kind: job.kind });
      const committed = await withTransaction(pool, async (client) => {
        if (!(await lockImport(client, job.id, done))) return null;
        const { outcomes, good } = await this.#import(client, job, batch);
        // Rows repeated within the slice are already refused, so the outcome `repeated` means a row of another slice.
        const repeated = good.filter((_, index) => outcomes[index] === 'repeated');
        const refused = [...collectRefused(batch, good, outcomes), ...repeated.map(refuseRepeated)];
        refused.sort((a, b) => a.row - b.row);
        const shownRows = refused.slice(0, MAX_STORED_REFUSALS - storedCount).map(removeCells);
        const { present, ...counts } = countOutcomes(batch, good, outcomes);
        const counted = { ...counts, present: present - repeated.length, refused: refused.length };
        await advanceImport(client, job.id, counted, shownRows);
        await finishSlice(client, job.id, position, serializeRefused(refused, contacts));
        return shownRows.length;
      });
      if (committed === null) return;
      done += batch.length;
      storedCount += committed;
      await faults.hit('import:committed');
    }
    await endImportJob(pool, job.id, null, clock.now());
  }

  /** Returns the number of refused rows stored for the batch, or null if another process has taken over the import. */
  async #commit(
    job: OwnedImport,
    done: number,
    batch: readonly (ImportRow | RefusedRow)[],
    maxStored: number,
  ): Promise<number | null> {
    return await withTransaction(this.options.pool, async (client) => {
      if (!(await lockImport(client, job.id, done))) return null;
      const { outcomes, good } = await this.#import(client, job, batch);
      const refusals = collectRefused(batch, good, outcomes).slice(0, maxStored).map(toRefusal);
      await advanceImport(client, job.id, countOutcomes(batch, good, outcomes), refusals);
      return refusals.length;
    });
  }

  async #import(client: pg.PoolClient, job: OwnedImport, batch: readonly (ImportRow | RefusedRow)[]) {
    const good = batch.filter((row): row is ImportRow => !('reason' in row));
    return { good, outcomes: await importRows(client, job, good, job.startedAt) };
  }
}

function countOutcomes(
  batch: readonly unknown[],
  good: readonly ImportRow[],
  outcomes: readonly RowOutcome[],
): BatchCounts {
  const count = (outcome: RowOutcome) => outcomes.filter((each) => each === outcome).length;
  const refusedOutcomes = outcomes.filter((each) => typeof each === 'object').length;
  return {
    rows: batch.length,
    created: count('created'),
    updated: count('updated'),
    present: count('present') + count('repeated'),
    refused: batch.length - good.length + refusedOutcomes,
  };
}

function collectRefused(
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

function serializeRefused(refused: readonly (ImportRow | RefusedRow)[], contacts: readonly WaitingContact[]): string {
  if (refused.length === 0) return '';
  const contactByRow = new Map(contacts.map((contact) => [contact.row, contact]));
  return JSON.stringify(
    refused.map((each) => {
      const { written, phone, cells, ...contact } = contactByRow.get(each.row) ?? {};
      const { row, reason } = each as RefusedRow;
      const storedCells = cells && { cells: toStorableCells(each) };
      return { ...contact, row, phone: written ?? phone, reason, ...storedCells } satisfies StoredRefusal;
    }),
  );
}

function toInput({ delimiter, input }: OwnedImport): ImportInput {
  return delimiter === null ? { contacts: JSON.parse(input) } : { csv: input, delimiter };
}

function removeCells(row: ImportRow | RefusedRow): ShownRefusal {
  const { cells: _cells, ...rest } = toRefusal(row);
  return rest;
}

function toRefusal(row: ImportRow | RefusedRow): ShownRefusal {
  const { reason } = row as RefusedRow;
  const written = 'written' in row ? row.written : row.phone;
  const phone = written?.slice(0, MAX_PHONE_LENGTH).replaceAll('\0', '\uFFFD').toWellFormed();
  return { row: row.row, phone: phone ?? null, reason, cells: toStorableCells(row) };
}
