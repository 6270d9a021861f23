import type pg from 'pg';
import type { Logger } from 'pino';
import { BatchLog } from '../../platform/background/batch-log.js';
import { newId } from '../../platform/ids.js';
import { type ApiRequest, recordRequests } from './usage-store.js';

/** About 20 MB. Past it the store has been away for so long that requests are answered no more, and none counts. */
const MAX_WAITING = 50_000;

/** Counts the requests of Surface B. No request waits for its own line. */
export class UsageLog {
  readonly #batches: BatchLog<ApiRequest>;

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#batches = new BatchLog({
      log,
      entries: 'requests',
      failure: 'requests could not be counted',
      mostWaiting: MAX_WAITING,
      write: (requests) => recordRequests(pool, requests),
    });
  }

  /** Counts a request; it is visible within a second. */
  record(request: Omit<ApiRequest, 'id'>): void {
    this.#batches.add({ id: newId(), ...request });
  }

  /** Stores what waits; after one failure it gives up, and says how much was lost. */
  close(): Promise<void> {
    return this.#batches.close();
  }
}
