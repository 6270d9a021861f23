import type pg from 'pg';
import type { Logger } from 'pino';
import { Loop } from './loop.js';

/** Dependencies of background work on the store. */
export interface BackgroundStoreOptions {
  /** Finds rows by key only (see `openPool`). */
  pool: pg.Pool;
  log: Logger;
}

export interface PollOptions {
  /** Milliseconds from the end of one poll to the start of the next. */
  everyMs: number;
  /** Logged with the error of a failed poll. */
  failure: string;
}

/** Work that polls for due rows from its start to its stop. Any number of processes may run it. */
export abstract class BackgroundWork<Options extends { log: Logger }> {
  protected readonly options: Options;
  readonly #loop: Loop;

  constructor(options: Options, pace: PollOptions) {
    this.options = options;
    this.#loop = new Loop({ poll: (signal) => this.look(signal), log: options.log, ...pace });
  }

  /** See `LoopOptions.look`. */
  protected abstract look(signal: AbortSignal): Promise<number> | Promise<void>;

  /** @param afterMs milliseconds until the first poll */
  start(afterMs = 0): void {
    this.#loop.start(afterMs);
  }

  /** Starts the next poll early. Cheap: many calls cause one poll. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves once the current poll has ended. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
