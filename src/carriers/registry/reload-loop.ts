import type { Logger } from 'pino';
import { Loop } from '../../platform/background/loop.js';

const RELOAD_EVERY_MS = 2_000;

export class ReloadLoop {
  readonly #reload: () => Promise<void>;
  readonly #loop: Loop;

  /** @param rows for the log */
  constructor(rows: string, { log, reload }: { log: Logger; reload: () => Promise<void> }) {
    this.#reload = reload;
    this.#loop = new Loop({
      poll: reload,
      everyMs: RELOAD_EVERY_MS,
      log,
      failure: `the ${rows} could not be reloaded; the current ones stay in effect`,
    });
  }

  async open(): Promise<void> {
    await this.#reload();
    this.#loop.start(RELOAD_EVERY_MS);
  }

  close(): Promise<void> {
    return this.#loop.stop();
  }
}
