import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.js';
import { writeKeyUses } from './key-usage-store.js';

const WRITE_EVERY_MS = 5_000;

/** A use of an API key is recorded only when the cache loads the key, so that other requests have no extra work. */
export class KeyUsage {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #clock: Clock;
  #pendingUses = new Map<string, Date>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ pool, log, clock }: { pool: pg.Pool; log: Logger; clock: Clock }) {
    this.#clock = clock;
    this.#pool = pool;
    this.#log = log;
  }

  record(keyIds: readonly string[]): void {
    const now = this.#clock.now();
    for (const id of keyIds) this.#pendingUses.set(id, now);
    if (keyIds.length > 0) this.#timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS);
  }

  /** Uses that cannot be written are dropped, because the next use of the API key would replace them anyway. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = this.#pendingUses;
    this.#pendingUses = new Map();
    const previous = this.#writing;
    this.#writing = previous.then(() => this.#store(uses));
    await this.#writing;
  }

  async #store(uses: ReadonlyMap<string, Date>): Promise<void> {
    if (uses.size === 0) return;
    try {
      await writeKeyUses(this.#pool, uses);
    } catch (error) {
      this.#log.warn({ err: error }, 'could not store when API keys were last used');
    }
  }
}
