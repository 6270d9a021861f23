import type pg from 'pg';
import type { Logger } from 'pino';
import { SaidOnce } from '../log/said-once.js';
import { publishLive } from './live-store.js';

/** Milliseconds between two notifications of a process. */
const EVERY_MS = 200;
/** PostgreSQL takes 8,000 bytes; from here on everything is stale for everybody, which says the same in less. */
const MAX_BYTES = 7_000;

/** In place of an account: what concerns all of them. In place of a topic: whatever there is. */
export const ALL = '*';

/** Topics that are stale, by account. */
export type Stale = Readonly<Record<string, readonly string[]>>;

export interface LiveFeedOptions {
  pool: pg.Pool;
  log: Logger;
}

/**
 * Tells the pages of all processes what has become stale, so that they ask for it again: after the commit, merged, at most
 * five times a second, in a statement of its own. What is lost meanwhile, with the store or the process, is made up by
 * the pages, which ask again every so often anyway.
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #failures: SaidOnce;
  #stale = new Map<string, Set<string>>();
  #timer: NodeJS.Timeout | undefined;
  #publishing: Promise<void> | null = null;
  #closed = false;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    this.#failures = new SaidOnce({ log: options.log, level: 'warn' });
  }

  /**
   * Notes that something changed. Cheap, and called once a batch.
   * @param accountId ALL where the account is not known, or all are meant
   */
  touch(accountId: string, topics: readonly string[]): void {
    if (this.#closed) return;
    let known = this.#stale.get(accountId);
    if (!known) {
      known = new Set();
      this.#stale.set(accountId, known);
    }
    for (const topic of topics) known.add(topic);
    if (!this.#publishing && !this.#timer) this.#timer = setTimeout(() => this.#publishSoon(), EVERY_MS).unref();
  }

  /** Resolves once nothing is being told; from then on nothing is told any more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#publishing;
  }

  #publishSoon(): void {
    this.#timer = undefined;
    const stale = this.#stale;
    this.#stale = new Map();
    this.#publishing = publishLive(this.#options.pool, payloadOf(stale))
      .catch((error) => this.#failures.say(error, 'pages could not be told what changed'))
      .finally(() => {
        this.#publishing = null;
        if (this.#stale.size > 0 && !this.#closed) {
          this.#timer = setTimeout(() => this.#publishSoon(), EVERY_MS).unref();
        }
      });
  }
}

function payloadOf(stale: ReadonlyMap<string, ReadonlySet<string>>): string {
  const payload = JSON.stringify(Object.fromEntries([...stale].map(([account, topics]) => [account, [...topics]])));
  return Buffer.byteLength(payload) <= MAX_BYTES ? payload : JSON.stringify({ [ALL]: [ALL] });
}
