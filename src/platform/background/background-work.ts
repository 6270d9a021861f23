import type pg from 'pg';
import type { Logger } from 'pino';
import { Loop } from './loop.js';

export interface BackgroundStoreOptions {
  /** Finds rows by key only (see `openPool`). */
  pool: pg.Pool;
  log: Logger;
}

export interface PollOptions {
  everyMs: number;
  failure: string;
}

/** Any number of processes may run it. */
export abstract class BackgroundWork<Options extends { log: Logger }> {
  protected readonly options: Options;
  readonly #loop: Loop;

  constructor(options: Options, pace: PollOptions) {
    this.options = options;
    this.#loop = new Loop({ poll: (signal) => this.look(signal), log: options.log, ...pace });
  }

  /** See `LoopOptions.poll`. */
  protected abstract look(signal: AbortSignal): Promise<number> | Promise<void>;

  start(afterMs = 0): void {
    this.#loop.start(afterMs);
  }

  wake(): void {
    this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
