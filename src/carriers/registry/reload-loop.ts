import type { Logger } from 'pino';
import { Loop } from '../../platform/background/loop.js';

/** Milliseconds after which every process obeys a change of carriers and routes. */
const RELOAD_EVERY_MS = 2_000;

/** Has a table read at the start, and then again and again. */
export class ReloadLoop {
  readonly #reload: () => Promise<void>;
  readonly #loop: Loop;

  /** @param what is read, as the log names it where that fails */
  constructor(what: string, { log, reload }: { log: Logger; reload: () => Promise<void> }) {
    this.#reload = reload;
    this.#loop = new Loop({
      look: reload,
      everyMs: RELOAD_EVERY_MS,
      log,
      failure: `the ${what} could not be read; they stay as they are`,
    });
  }

  /** Resolves once the table was read for the first time. */
  async open(): Promise<void> {
    await this.#reload();
    this.#loop.start(RELOAD_EVERY_MS);
  }

  close(): Promise<void> {
    return this.#loop.stop();
  }
}
