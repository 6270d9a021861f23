import type { Logger } from 'pino';

/** Pause after a failed poll, so that an unavailable store is not queried at every wake-up. */
const FAILURE_PAUSE_MS = 1_000;

export interface LoopOptions {
  /**
   * Polls never overlap. `stop` aborts `signal`, and still waits for the running poll. Returns the milliseconds until the next
   * poll instead of `everyMs`, or 0 if more work is due.
   */
  poll(signal: AbortSignal): Promise<number> | Promise<void>;
  /** Milliseconds from the end of one poll to the start of the next. */
  everyMs: number;
  log: Logger;
  /**
   * Message logged with the error of a failed poll. Repeats of an error are only counted, and their number is logged after the
   * next success.
   */
  failure: string;
}

export class Loop {
  readonly #options: LoopOptions;
  readonly #stopController = new AbortController();
  #running: Promise<void> | null = null;
  #isWoken = false;
  #lastFailure: string | null = null;
  #repeatCount = 0;
  #endPause: () => void = () => undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  start(afterMs = 0): void {
    this.#running ??= this.#run(afterMs);
  }

  /**
   * Ends the pause before the next poll, unless the last poll failed. If called during a poll, makes the next poll start
   * immediately.
   */
  wake(): void {
    this.#isWoken = true;
    if (this.#lastFailure === null) this.#endPause();
  }

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
      const pauseMs = await this.#poll(signal);
      if (!this.#isWoken || this.#lastFailure !== null) await this.#pause(pauseMs);
    }
  }

  /** Runs one poll and returns the pause until the next poll, in milliseconds. */
  async #poll(signal: AbortSignal): Promise<number> {
    const { poll, everyMs, log, failure } = this.#options;
    try {
      const pauseMs = await poll(signal);
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
