import type pg from 'pg';
import { GroupCommit } from '../../platform/group-commit.js';
import { Listeners } from '../../platform/listeners.js';
import { isStoreUnreachable } from '../../platform/store/failures.js';
import { type Callback, insertCallbacks } from './callback-store.js';

/** The weight of a callback is its size in units of 4 KiB, rounded up. */
const BYTES_PER_WEIGHT = 4_096;
/** A commit contains at most 4 MiB of callbacks, or a single larger callback. */
const BATCH_WEIGHT = 1_024;
/** At most 64 MiB of callbacks wait in memory. */
const WAITING_LIMIT = 16_384;

/** Stores callbacks with group commit, for a `CallbackRunner` to process. */
export class CallbackIntake {
  /** Notified after each commit. */
  readonly commitListeners = new Listeners<void>();
  readonly #commits: GroupCommit<Callback, undefined>;

  constructor({ pool }: { pool: pg.Pool }) {
    this.#commits = new GroupCommit({
      commit: async (callbacks) => {
        await insertCallbacks(pool, callbacks);
        this.commitListeners.notify();
        return callbacks.map(() => undefined);
      },
      weigh: ({ body }) => Math.max(1, Math.ceil(body.length / BYTES_PER_WEIGHT)),
      batchWeight: BATCH_WEIGHT,
      waitingLimit: WAITING_LIMIT,
      endsWaiting: isStoreUnreachable,
    });
  }

  /**
   * The caller must not acknowledge the callback to the carrier before `store` resolves.
   * @throws {AppError} UNAVAILABLE
   */
  async store(callback: Callback): Promise<void> {
    await this.#commits.add(callback);
  }

  waitUntilIdle(): Promise<void> {
    return this.#commits.waitUntilIdle();
  }
}
