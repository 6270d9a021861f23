import type { Logger } from 'pino';

/** The shortest rest after a look that failed: a store that is away is not asked again at every wake. */
const FAILURE_REST_MS = 1_000;

export interface LoopOptions {
  /**
   * Looks for work and does it. Never called while an earlier look is under way.
   * @param signal aborted by `stop`; the look is waited for all the same
   * @returns milliseconds until the next look where it knows better than `everyMs`; 0 when there is more to do now
   */
  look(signal: AbortSignal): Promise<number> | Promise<void>;
  /** Milliseconds from the end of a look to the next one. */
  everyMs: number;
  log: Logger;
  /** Logged with the error of a look that failed, once for each series of equal errors; then how many they were. */
  failure: string;
}

/** Looks for work again and again, one look at a time, until it is stopped. A look that fails is followed by others. */
export class Loop {
  readonly #options: LoopOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | null = null;
  /** Woken since the last look began. */
  #woken = false;
  /** The message of the last look's error; null when it succeeded. */
  #failing: string | null = null;
  /** Looks that failed since the last line about it. */
  #repeated = 0;
  #endRest: () => void = () => undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
  }

  /**
   * Begins, once.
   * @param afterMs milliseconds until the first look
   */
  start(afterMs = 0): void {
    this.#running ??= this.#run(afterMs);
  }

  /**
   * Ends the rest, unless the last look failed. During a look it has the next one follow at once. Cheap: many calls make
   * one look.
   */
  wake(): void {
    this.#woken = true;
    if (this.#failing === null) this.#endRest();
  }

  /** Looks no more. Resolves once the look under way has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#endRest();
    await this.#running;
  }

  async #run(afterMs: number): Promise<void> {
    const { signal } = this.#stop;
    if (!this.#woken) await this.#rest(afterMs);
    while (!signal.aborted) {
      this.#woken = false;
      const restMs = await this.#look(signal);
      if (!this.#woken || this.#failing !== null) await this.#rest(restMs);
    }
  }

  /** Resolves to the milliseconds of the rest that follows. */
  async #look(signal: AbortSignal): Promise<number> {
    const { look, everyMs, log, failure } = this.#options;
    try {
      const restMs = await look(signal);
      if (this.#repeated > 0) log.warn({ times: this.#repeated }, `again: ${failure}; now it works`);
      this.#repeated = 0;
      this.#failing = null;
      return typeof restMs === 'number' ? restMs : everyMs;
    } catch (error) {
      const reason = String(error);
      if (reason === this.#failing) this.#repeated++;
      else log.warn({ err: error }, failure);
      this.#failing = reason;
      return Math.max(everyMs, FAILURE_REST_MS);
    }
  }

  #rest(milliseconds: number): Promise<void> {
    if (milliseconds <= 0 || this.#stop.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
