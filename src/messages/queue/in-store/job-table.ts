import type pg from 'pg';
import type { Logger } from 'pino';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { backoffMs } from '../../../platform/background/backoff.js';
import type { Metric } from '../../../platform/metrics/metric.js';
import { countDeadJobs, MOST_DEAD, makeJobTableAnew } from './job-table-store.js';

const LOOK_EVERY_MS = 10_000;
/** Until PostgreSQL's statistics know that the table was made anew: a connection tells them after ten idle seconds at the latest. */
const TOLD_AFTER_MS = 20_000;
/** After tries that failed, since a backup may have the table for an hour and each try holds others up for a moment. */
const PAUSES = { firstMs: 20_000, longestMs: 5 * 60_000 };

/**
 * Keeps the queue in PostgreSQL quick while a snapshot stays open for long (an analysis, a backup, a session that somebody
 * forgot). Each job leaves dead rows, VACUUM must keep them for the snapshot, and BullMQ's looks for the next job pass over
 * them all. So the table is made anew with the few jobs that are in it.
 */
export class JobTable extends BackgroundWork<{ pool: pg.Pool; log: Logger }> {
  #anew = 0;
  #failures = 0;

  constructor(options: { pool: pg.Pool; log: Logger }) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'the table of jobs cannot be looked at' });
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_queue_table_renewals_total',
        help: 'Times that this process made the table of jobs in PostgreSQL anew, since dead rows piled up in it',
        type: 'counter',
        labels: [],
        read: () => [{ labels: {}, value: this.#anew }],
      },
    ];
  }

  protected override async look(): Promise<number> {
    const { pool, log } = this.options;
    const dead = await countDeadJobs(pool);
    if (dead < MOST_DEAD) {
      this.#failures = 0;
      return LOOK_EVERY_MS;
    }
    if (await makeJobTableAnew(pool)) {
      this.#anew++;
      this.#failures = 0;
      log.debug({ dead }, 'the table of jobs was made anew');
      return TOLD_AFTER_MS;
    }
    this.#failures++;
    return backoffMs(this.#failures, PAUSES);
  }
}
