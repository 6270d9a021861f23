import type { Logger } from 'pino';

/** An unavailable store must not be queried at every wake-up. */
const FAILURE_PAUSE_MS = 1_000;

export interface LoopOptions {
  /**
   * Never called while another poll runs.
   * @param signal aborted by `stop`, which still waits for the poll
   * @returns milliseconds until the next poll, to override `everyMs`; 0 if there is more to do
   */
  poll(signal: AbortSignal): Promise<number> | Promise<void>;
  /** Milliseconds from the end of one poll to the start of the next. */
  everyMs: number;
  log: Logger;
  /** Logged with the error of a failed poll. Repetitions of the same error are only counted until the next success. */
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

  /** Ends the pause, unless the last poll failed. A call during a poll makes the next one follow at once. */
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

  /** Resolves to the pause before the next poll. */
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
