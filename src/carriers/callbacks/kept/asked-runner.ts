import { BackgroundWork, type KeyedWorkOptions } from '../../../platform/background/background-work.js';
import { isStoreAway } from '../../../platform/store/failures.js';
import { claimAsked, leaveKept } from './asked-store.js';
import { playOne, type ReplayOptions } from './replay.js';

/** Reports that are claimed at once; each is applied by itself. */
const BATCH = 50;
const LOOK_EVERY_MS = 1_000;

export type AskedRunnerOptions = KeyedWorkOptions & Pick<ReplayOptions, 'seal' | 'apply'>;

/**
 * Plays again the kept reports of which somebody asked it in the console. One that is used is kept no more; the others stay as
 * they were. Who dies in between plays it once more, which changes nothing.
 */
export class AskedRunner extends BackgroundWork<AskedRunnerOptions> {
  constructor(options: AskedRunnerOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'kept reports that are to be played again wait for the store' });
  }

  protected override async look(signal: AbortSignal): Promise<number> {
    const claimed = await claimAsked(this.options.pool, BATCH);
    for (const report of claimed) {
      if (signal.aborted) return LOOK_EVERY_MS;
      if (!(await this.#isUsed(report))) await leaveKept(this.options.pool, report.id);
    }
    return claimed.length === BATCH ? 0 : LOOK_EVERY_MS;
  }

  async #isUsed(report: Parameters<typeof playOne>[1]): Promise<boolean> {
    try {
      return await playOne(this.options, report);
    } catch (error) {
      if (isStoreAway(error)) throw error;
      const { name } = error as Error;
      this.options.log.warn({ report: report.id, error: name }, 'a kept report could not be applied, and stays');
      return false;
    }
  }
}
