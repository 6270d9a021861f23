import type pg from 'pg';
import type { Logger } from 'pino';
import { FailureLog } from '../log/failure-log.js';
import { publishLive } from './live-store.js';

const PUBLISH_INTERVAL_MS = 200;
/** PostgreSQL limits a notification to 8,000 bytes, so a longer payload is replaced by "everything is stale". */
const MAX_BYTES = 7_000;

/** Wildcard for all accounts or all topics. */
export const ALL = '*';

/** By account ID. */
export type StaleTopics = Readonly<Record<string, readonly string[]>>;

export interface LiveFeedOptions {
  pool: pg.Pool;
  log: Logger;
}

/**
 * Notifies the console pages of all processes about stale topics. Lost notifications do no harm, because console pages also
 * reload at intervals.
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #failures: FailureLog;
  #stale = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> | null = null;
  #closed = false;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    this.#failures = new FailureLog({ log: options.log, level: 'warn' });
  }

  markStale(accountId: string, topics: readonly string[]): void {
    if (this.#closed) return;
    let accountTopics = this.#stale.get(accountId);
    if (!accountTopics) {
      accountTopics = new Set();
      this.#stale.set(accountId, accountTopics);
    }
    for (const topic of topics) accountTopics.add(topic);
    if (!this.#publishing && !this.#timer) this.#timer = setTimeout(() => this.#publish(), PUBLISH_INTERVAL_MS).unref();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#publishing;
  }

  #publish(): void {
    this.#timer = undefined;
    const stale = this.#stale;
    this.#stale = new Map();
    this.#publishing = publishLive(this.#options.pool, encodePayload(stale))
      .catch((error) => this.#failures.report(error, 'could not notify console pages of changes'))
      .finally(() => {
        this.#publishing = null;
        if (this.#stale.size > 0 && !this.#closed) {
          this.#timer = setTimeout(() => this.#publish(), PUBLISH_INTERVAL_MS).unref();
        }
      });
  }
}

function encodePayload(stale: ReadonlyMap<string, ReadonlySet<string>>): string {
  const payload = JSON.stringify(Object.fromEntries([...stale].map(([accountId, topics]) => [accountId, [...topics]])));
  return Buffer.byteLength(payload) <= MAX_BYTES ? payload : JSON.stringify({ [ALL]: [ALL] });
}
