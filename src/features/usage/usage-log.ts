import type pg from 'pg';
import type { Logger } from 'pino';
import { newId } from '../../platform/ids.js';
import { type ApiRequest, recordRequests } from './usage-store.js';

/** Milliseconds that a request waits for others before it is stored. */
const COLLECT_MS = 250;
/** Requests that one statement stores; as many waiting ones are stored at once. */
const BATCH_SIZE = 1000;
/** About 20 MB. Past it the store has been away for so long that requests are answered no more, and none counts. */
const MAX_WAITING = 50_000;
const MAX_PAUSE_MS = 5_000;

/**
 * Collects the requests of Surface B and stores them in batches, so that no request waits for its own line. A batch
 * that cannot be stored is tried again until it is.
 */
export class UsageLog {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  #waiting: ApiRequest[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | null = null;
  #failures = 0;
  #dropped = 0;
  #closed = false;

  constructor({ pool, log }: { pool: pg.Pool; log: Logger }) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Counts a request; it is visible within a second. */
  record(request: Omit<ApiRequest, 'id'>): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#dropped++;
      return;
    }
    this.#waiting.push({ id: newId(), ...request });
    if (this.#closed) return;
    if (this.#waiting.length === BATCH_SIZE && this.#failures === 0) this.#flushSoon(0);
    else if (!this.#timer && !this.#flushing) this.#flushSoon(COLLECT_MS);
  }

  /** Stores what waits; after one failure it gives up, and says how much was lost. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#flushing;
    await this.#flush();
    const lost = this.#waiting.length + this.#dropped;
    if (lost > 0) this.#log.error({ requests: lost }, 'requests could not be counted');
  }

  #flushSoon(milliseconds: number): void {
    if (this.#flushing) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = null;
        if (!this.#closed && this.#waiting.length > 0) this.#flushSoon(this.#pauseMs());
      });
    }, milliseconds);
  }

  #pauseMs(): number {
    return Math.min(COLLECT_MS * 2 ** this.#failures, MAX_PAUSE_MS);
  }

  /** Stores batch by batch until nothing waits or one fails. */
  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH_SIZE);
      try {
        await recordRequests(this.#pool, batch);
      } catch (error) {
        this.#failures++;
        this.#log.warn({ err: error, requests: this.#waiting.length }, 'requests could not be counted yet');
        return;
      }
      this.#failures = 0;
      this.#waiting.splice(0, batch.length);
      if (this.#dropped > 0) {
        this.#log.error({ requests: this.#dropped }, 'requests could not be counted');
        this.#dropped = 0;
      }
    }
  }
}
