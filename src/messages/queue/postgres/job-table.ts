import type pg from 'pg';
import type { Logger } from 'pino';
import { BackgroundWork } from '../../../platform/background/background-work.js';
import { backoffMs } from '../../../platform/background/backoff.js';
import type { Metric } from '../../../platform/metrics/metric.js';
import { countDeadRows, MAX_DEAD_ROWS, rebuildJobTable } from './job-table-store.js';

const CHECK_INTERVAL_MS = 10_000;
/**
 * Time after which PostgreSQL's statistics reflect a rebuild, because connections report their statistics after at most ten
 * idle seconds.
 */
const STATISTICS_DELAY_MS = 20_000;
/** Pauses after failed attempts, because a backup may lock the table for an hour and each attempt delays other statements. */
const PAUSES = { firstMs: 20_000, longestMs: 5 * 60_000 };

/**
 * Keeps the queue in PostgreSQL fast while a snapshot stays open for long, such as during a backup. Each job leaves dead rows,
 * which VACUUM must keep for an open snapshot and BullMQ must skip.
 */
export class JobTableRebuilder extends BackgroundWork<{ pool: pg.Pool; log: Logger }> {
  #rebuilds = 0;
  #failures = 0;

  constructor(options: { pool: pg.Pool; log: Logger }) {
    super(options, { everyMs: CHECK_INTERVAL_MS, failure: 'cannot check the job table' });
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_queue_table_renewals_total',
        help: 'How often the table of jobs in PostgreSQL was rebuilt because of dead rows',
        type: 'counter',
        labels: [],
        read: () => [{ labels: {}, value: this.#rebuilds }],
      },
    ];
  }

  protected override async poll(): Promise<number> {
    const { pool, log } = this.options;
    const dead = await countDeadRows(pool);
    if (dead < MAX_DEAD_ROWS) {
      this.#failures = 0;
      return CHECK_INTERVAL_MS;
    }
    if (await rebuildJobTable(pool)) {
      this.#rebuilds++;
      this.#failures = 0;
      log.debug({ dead }, 'rebuilt the job table');
      return STATISTICS_DELAY_MS;
    }
    this.#failures++;
    return backoffMs(this.#failures, PAUSES);
  }
}
