import type pg from 'pg';
import { GroupCommit } from '../../platform/group-commit.js';
import { Listeners } from '../../platform/listeners.js';
import { isStoreAway } from '../../platform/store/failures.js';
import { type Callback, insertCallbacks } from './callback-store.js';

/** A callback weighs one for each of these bytes that it begins. */
const BYTES_PER_WEIGHT = 4_096;
/** One commit holds 4 MiB at the most, or one callback that is larger. */
const BATCH_WEIGHT = 1_024;
/** 64 MiB in memory, waiting. */
const WAITING_LIMIT = 16_384;

/** Stores what carriers report, many callbacks in one commit. What it has stored is worked off later, by a runner. */
export class CallbackIntake {
  /** Told after each commit. */
  readonly stored = new Listeners<void>();
  readonly #commits: GroupCommit<Callback, undefined>;

  constructor({ pool }: { pool: pg.Pool }) {
    this.#commits = new GroupCommit({
      commit: async (callbacks) => {
        await insertCallbacks(pool, callbacks);
        this.stored.tell();
        return callbacks.map(() => undefined);
      },
      weigh: ({ body }) => Math.max(1, Math.ceil(body.length / BYTES_PER_WEIGHT)),
      batchWeight: BATCH_WEIGHT,
      waitingLimit: WAITING_LIMIT,
      endsWaiting: isStoreAway,
    });
  }

  /**
   * Resolves once the callback is committed: only then may its carrier be told so.
   * @throws {AppError} UNAVAILABLE when too much waits; whatever the store fails with
   */
  async take(callback: Callback): Promise<void> {
    await this.#commits.add(callback);
  }

  /** Resolves once nothing waits. */
  idle(): Promise<void> {
    return this.#commits.idle();
  }
}
