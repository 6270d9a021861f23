import type pg from 'pg';
import type { Logger } from 'pino';
import { Loop } from './loop.js';

export interface BackgroundStoreOptions {
  /** A pool opened with `byKeyOnly`. */
  pool: pg.Pool;
  log: Logger;
}

export interface PollOptions {
  everyMs: number;
  failure: string;
}

/** Several processes may run the same background work concurrently. */
export abstract class BackgroundWork<Options extends { log: Logger }> {
  protected readonly options: Options;
  readonly #loop: Loop;

  constructor(options: Options, polling: PollOptions) {
    this.options = options;
    this.#loop = new Loop({ poll: (signal) => this.poll(signal), log: options.log, ...polling });
  }

  /** See `LoopOptions.poll`. */
  protected abstract poll(signal: AbortSignal): Promise<number> | Promise<void>;

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
