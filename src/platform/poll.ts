import type { Logger } from 'pino';

/** How soon every process obeys a change of carriers and routes. */
export const RELOAD_EVERY_MS = 2_000;

export interface PollOptions {
  everyMs: number;
  log: Logger;
  /** Of what the work reads, for the log. */
  what: string;
  work(): Promise<void>;
}

/** Does the same again and again, one at a time. A failure is logged once and tried again at the next turn. */
export class Poll {
  readonly #options: PollOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | null = null;
  #failing = false;

  constructor(options: PollOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      if (this.#running) return;
      this.#running = this.#turn().finally(() => {
        this.#running = null;
      });
    }, this.#options.everyMs);
  }

  /** Resolves once the turn under way has ended. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #turn(): Promise<void> {
    const { log, what, work } = this.#options;
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing) log.warn({ err: error }, `the ${what} could not be read; they stay as they are`);
      this.#failing = true;
    }
  }
}
