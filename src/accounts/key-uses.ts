import type pg from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../platform/clock.js';
import { writeKeyUses } from './key-use-store.js';

/** Milliseconds after which what was noted is written. */
const WRITE_EVERY_MS = 5_000;

/**
 * Remembers when keys were used last, and writes it every few seconds, one statement for all of them. It is told of keys
 * when they are looked up, which a key in use is every second (see KeyCache): no request pays for it.
 */
export class KeyUses {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #clock: Clock;
  #used = new Map<string, Date>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor({ pool, log, clock }: { pool: pg.Pool; log: Logger; clock: Clock }) {
    this.#clock = clock;
    this.#pool = pool;
    this.#log = log;
  }

  /** Notes that keys are in use now. */
  note(keyIds: readonly string[]): void {
    const now = this.#clock.now();
    for (const id of keyIds) this.#used.set(id, now);
    if (keyIds.length > 0) this.#timer ??= setTimeout(() => void this.write(), WRITE_EVERY_MS);
  }

  /** Writes what was noted. What cannot be written is lost: the next use tells as much. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const used = this.#used;
    this.#used = new Map();
    const before = this.#writing;
    this.#writing = before.then(() => this.#store(used));
    await this.#writing;
  }

  async #store(used: ReadonlyMap<string, Date>): Promise<void> {
    if (used.size === 0) return;
    try {
      await writeKeyUses(this.#pool, used);
    } catch (error) {
      this.#log.warn({ err: error }, 'the last use of keys could not be written');
    }
  }
}
