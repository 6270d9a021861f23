import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { isStoreAway, sqlState } from '../../platform/store/failures.js';
import {
  type ClaimedCallback,
  claimCallbacks,
  deleteCallbacks,
  postponeCallback,
  releaseCallbacks,
  setCallbackAside,
} from './callback-store.js';

/** Callbacks that are worked off together. */
const BATCH = 500;
/** How often it looks for callbacks of other processes, and for those whose lease ended. */
const LOOK_EVERY_MS = 250;
const ERROR_PAUSE_MS = 1_000;
/** A callback that failed this often is set aside, after about a quarter of an hour. */
const MOST_ATTEMPTS = 10;
const LONGEST_DELAY_MS = 300_000;

export interface CallbackRunnerOptions {
  /** Reaches rows by key only (see openPool). */
  pool: pg.Pool;
  log: Logger;
  /** Does what the callbacks say. Doing it twice must change nothing. */
  apply(callbacks: readonly ClaimedCallback[]): Promise<void>;
  /** No other process can be at work on this store. */
  alone: boolean;
}

/**
 * Works off what the intake has stored. Any number of processes may run one: a callback is leased to one of them, and a
 * process that dies leaves its callbacks to the others once their leases end. One that cannot be worked off holds up no
 * other.
 */
export class CallbackRunner {
  readonly #options: CallbackRunnerOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #rung = false;
  #endRest: () => void = () => undefined;

  constructor(options: CallbackRunnerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#loop();
  }

  /** Tells that there may be something new. Cheap: many calls make one look. */
  wake(): void {
    this.#rung = true;
    this.#endRest();
  }

  /** Resolves once what was claimed is worked off. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.wake();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { pool, log, alone } = this.#options;
    const { signal } = this.#stop;
    let released = !alone;
    while (!signal.aborted) {
      this.#rung = false;
      try {
        if (!released) await releaseCallbacks(pool);
        released = true;
        const claimed = await claimCallbacks(pool, BATCH);
        if (claimed.length > 0) await this.#work(claimed);
        if (claimed.length === BATCH) continue;
      } catch (error) {
        log.warn({ err: error }, 'callbacks of carriers wait for the store');
        await pause(ERROR_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
      if (!this.#rung) await this.#rest();
    }
  }

  #rest(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** All together, and when that fails, each by itself: so one that cannot be worked off is found. */
  async #work(claimed: readonly ClaimedCallback[]): Promise<void> {
    const { pool, apply } = this.#options;
    try {
      await apply(claimed);
      await deleteCallbacks(pool, idsOf(claimed));
    } catch (error) {
      // The store is away: nothing is wrong with the callbacks, whose leases end by themselves.
      if (isStoreAway(error)) throw error;
      for (const callback of claimed) {
        if (this.#stop.signal.aborted) return;
        await this.#workOff(callback);
      }
    }
  }

  async #workOff(callback: ClaimedCallback): Promise<void> {
    const { pool, log, apply } = this.#options;
    const { id, carrier, attempts } = callback;
    try {
      await apply([callback]);
    } catch (error) {
      // The error's own words may hold a message's text.
      const reason = { callback: id, carrier, attempts, error: (error as Error).name, code: sqlState(error) };
      if (attempts < MOST_ATTEMPTS) {
        log.warn(reason, 'a callback of a carrier could not be worked off; it is tried again');
        await postponeCallback(pool, id, Math.min(LONGEST_DELAY_MS, 1_000 * 2 ** attempts));
      } else {
        log.error(reason, 'a callback of a carrier was set aside: it could not be worked off');
        await setCallbackAside(pool, id);
      }
      return;
    }
    await deleteCallbacks(pool, [id]);
  }
}

function idsOf(callbacks: readonly ClaimedCallback[]): string[] {
  return callbacks.map(({ id }) => id);
}
