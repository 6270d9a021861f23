import { BackgroundWork, type KeyedWorkOptions } from '../../../platform/background/background-work.js';
import { isStoreAway } from '../../../platform/store/failures.js';
import { claimAsked, leaveKept } from './asked-store.js';
import { playOne, type ReplayOptions } from './replay.js';

/** Reports claimed together; each is applied by itself. */
const BATCH = 50;
const LOOK_EVERY_MS = 1_000;

export type AskedRunnerOptions = KeyedWorkOptions & Pick<ReplayOptions, 'seal' | 'apply'>;

/**
 * Replays the unmatched reports that an operator selected in the console. A report that is used now is deleted; others stay
 * as they were. A crash repeats a replay, which has no effect.
 */
export class AskedRunner extends BackgroundWork<AskedRunnerOptions> {
  constructor(options: AskedRunnerOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'reports cannot be replayed: the database is unavailable' });
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
      this.options.log.warn(
        { report: report.id, error: name },
        'an unmatched report could not be replayed and stays stored',
      );
      return false;
    }
  }
}
