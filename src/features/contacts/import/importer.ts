import { BackgroundWork, type KeyedWorkOptions } from '../../../platform/background/background-work.js';
import type { Clock } from '../../../platform/clock.js';
import type { FaultPoints } from '../../../platform/faults.js';
import type { PhoneValidation } from '../../../platform/text/phone-numbers.js';
import { within } from '../transaction.js';
import { ImportInputError, type ImportRow, type RefusedRow } from './import-file.js';
import { importRows } from './import-store.js';
import { type ImportInput, readAllRows } from './job-rows.js';
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
  phoneValidation: PhoneValidation;
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
    const { pool, clock, faults, phoneValidation } = this.options;
    const rows = await readAllRows(inputOf(job), phoneValidation);
    await setTotal(pool, job.id, rows.length);
    let kept = job.keptRefused;
    for (let done = job.rows; done < rows.length; done += BATCH_ROWS) {
      if (signal.aborted) return await releaseImport(pool, job.id, done);
      const batch = rows.slice(done, done + BATCH_ROWS);
      const refused = batch.filter((row) => 'reason' in row).slice(0, KEPT_REFUSALS - kept);
      // Another process took it, for this one was held up for longer than its lease.
      if (!(await this.#commit(job, done, batch, refused.map(shown)))) return;
      kept += refused.length;
      await faults.hit('import:committed');
    }
    await endImportJob(pool, job.id, null, clock.now());
  }

  async #commit(
    job: OwnedImport,
    done: number,
    batch: readonly (ImportRow | RefusedRow)[],
    kept: readonly ShownRefusal[],
  ): Promise<boolean> {
    const good = batch.filter((row): row is ImportRow => !('reason' in row));
    return await within(this.options.pool, async (client) => {
      if (!(await lockImport(client, job.id, done))) return false;
      const outcomes = await importRows(client, job, good, job.startedAt);
      const count = (outcome: string) => outcomes.filter((each) => each === outcome).length;
      const counts: BatchCounts = {
        rows: batch.length,
        created: count('created'),
        updated: count('updated'),
        present: count('present') + count('repeated'),
        refused: batch.length - good.length,
      };
      await advanceImport(client, job.id, counts, kept);
      return true;
    });
  }
}

function inputOf({ delimiter, input }: OwnedImport): ImportInput {
  return delimiter === null ? { contacts: JSON.parse(input) } : { csv: input, delimiter };
}

function shown(row: ImportRow | RefusedRow): ShownRefusal {
  const { reason } = row as RefusedRow;
  const phone = row.phone?.slice(0, SHOWN_PHONE).replaceAll('\0', '\uFFFD').toWellFormed();
  return { row: row.row, phone: phone ?? null, reason };
}
