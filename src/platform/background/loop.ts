import type { Logger } from 'pino';

/** The shortest pause after a failed poll, so that an unavailable store is not queried at every wake-up. */
const FAILURE_PAUSE_MS = 1_000;

export interface LoopOptions {
  /**
   * Finds due work and does it. Never called while an earlier poll is running.
   * @param signal aborted by `stop`, which still waits for the poll to end
   * @returns milliseconds until the next poll, to override `everyMs`; 0 if there is more to do
   */
  poll(signal: AbortSignal): Promise<number> | Promise<void>;
  /** Milliseconds from the end of one poll to the start of the next. */
  everyMs: number;
  log: Logger;
  /**
   * Logged with the error of a failed poll. In a series of equal errors only the first is logged, then their number.
   */
  failure: string;
}

/** Polls for work until it is stopped, one poll at a time. Polling continues after a failure. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #stopController = new AbortController();
  #running: Promise<void> | null = null;
  /** Whether `wake` was called since the last poll started. */
  #isWoken = false;
  /** The last poll's error message; null if it succeeded. */
  #lastFailure: string | null = null;
  /** Equal failures since the last one that was logged. */
  #repeatCount = 0;
  #endPause: () => void = () => undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /**
   * Starts polling. Later calls do nothing.
   * @param afterMs milliseconds until the first poll
   */
  start(afterMs = 0): void {
    this.#running ??= this.#run(afterMs);
  }

  /**
   * Ends the pause, unless the last poll failed. During a poll it makes the next one follow at once. Cheap: many calls
   * cause one poll.
   */
  wake(): void {
    this.#isWoken = true;
    if (this.#lastFailure === null) this.#endPause();
  }

  /** Stops polling. Resolves once the current poll has ended. */
  async stop(): Promise<void> {
    this.#stopController.abort();
    this.#endPause();
    await this.#running;
  }

  async #run(afterMs: number): Promise<void> {
    const { signal } = this.#stopController;
    if (!this.#isWoken) await this.#pause(afterMs);
    while (!signal.aborted) {
      this.#isWoken = false;
      const pauseMs = await this.undefined(signal);
      if (!this.#isWoken || this.#lastFailure !== null) await this.#pause(pauseMs);
    }
  }

  /** Resolves to the pause that follows, in milliseconds. */
  async undefined(signal: AbortSignal): Promise<number> {
    const { poll: look, everyMs, log, failure } = this.#options;
    try {
      const pauseMs = await look(signal);
      if (this.#repeatCount > 0)
        log.warn({ times: this.#repeatCount }, `recovered after repeated failures: ${failure}`);
      this.#repeatCount = 0;
      this.#lastFailure = null;
      return typeof pauseMs === 'number' ? pauseMs : everyMs;
    } catch (error) {
      const reason = String(error);
      if (reason === this.#lastFailure) this.#repeatCount++;
      else log.warn({ err: error }, failure);
      this.#lastFailure = reason;
      return Math.max(everyMs, FAILURE_PAUSE_MS);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.#stopController.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
