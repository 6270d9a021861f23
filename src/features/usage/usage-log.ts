import type pg from 'pg';
import type { Logger } from 'pino';
import { BatchWriter } from '../../platform/background/batch-writer.js';
import { newId } from '../../platform/ids.js';
import { type ApiRequest, recordRequests } from './usage-store.js';

/** About 20 MB. */
const MAX_QUEUED = 50_000;

/** Counts the requests of Surface B in the background, so that no request waits for the counting. */
export class UsageLog {
  readonly #batches: BatchWriter<ApiRequest>;

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#batches = new BatchWriter({
      log,
      countField: 'requests',
      failure: 'could not count requests',
      maxPending: MAX_QUEUED,
      write: (requests) => recordRequests(pool, requests),
    });
  }

  record(request: Omit<ApiRequest, 'id'>): void {
    this.#batches.add({ id: newId(), ...request });
  }

  /** Gives up after one failed write and logs how many requests were lost. */
  close(): Promise<void> {
    return this.#batches.close();
  }
}
