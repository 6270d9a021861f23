import type pg from 'pg';
import type { Logger } from 'pino';
import { Loop } from './loop.js';

/** What works on the store in the background, or writes down what came of it. */
export interface KeyedWorkOptions {
  /** Reaches rows by key only (see openPool). */
  pool: pg.Pool;
  log: Logger;
}

export interface Pace {
  /** Milliseconds from the end of a look to the next one. */
  everyMs: number;
  /** Logged with the error of a look that failed. */
  failure: string;
}

/** Work that looks again and again for what is due, from its start to its stop. Any number of processes may do it. */
export abstract class BackgroundWork<Options extends { log: Logger }> {
  protected readonly options: Options;
  readonly #loop: Loop;

  constructor(options: Options, pace: Pace) {
    this.options = options;
    this.#loop = new Loop({ look: (signal) => this.look(signal), log: options.log, ...pace });
  }

  /** See `LoopOptions.look`. */
  protected abstract look(signal: AbortSignal): Promise<number> | Promise<void>;

  /** @param afterMs milliseconds until the first look */
  start(afterMs = 0): void {
    this.#loop.start(afterMs);
  }

  /** Tells that there may be something new. Cheap: many calls make one look. */
  wake(): void {
    this.#loop.wake();
  }

  /** Resolves once the look under way has ended. */
  stop(): Promise<void> {
    return this.#loop.stop();
  }
}
