import { type BackgroundStoreOptions, BackgroundWork } from '../../../platform/background/background-work.js';
import { isStoreUnreachable } from '../../../platform/store/failures.js';
import { type ReplayOptions, replayReport } from './replay.js';
import { claimQueuedReplays, dequeueReplay } from './replay-queue-store.js';

const BATCH = 50;
const LOOK_EVERY_MS = 1_000;

export type ReplayRunnerOptions = BackgroundStoreOptions & Pick<ReplayOptions, 'seal' | 'apply'>;

/** A crash repeats a replay, which has no effect. */
export class ReplayRunner extends BackgroundWork<ReplayRunnerOptions> {
  constructor(options: ReplayRunnerOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'reports cannot be replayed: the database is unavailable' });
  }

  protected override async poll(signal: AbortSignal): Promise<number> {
    const claimed = await claimQueuedReplays(this.options.pool, BATCH);
    for (const report of claimed) {
      if (signal.aborted) return LOOK_EVERY_MS;
      if (!(await this.#isUsed(report))) await dequeueReplay(this.options.pool, report.id);
    }
    return claimed.length === BATCH ? 0 : LOOK_EVERY_MS;
  }

  async #isUsed(report: Parameters<typeof replayReport>[1]): Promise<boolean> {
    try {
      return await replayReport(this.options, report);
    } catch (error) {
      if (isStoreUnreachable(error)) throw error;
      const { name } = error as Error;
      this.options.log.warn(
        { report: report.id, error: name },
        'an unmatched report could not be replayed and stays stored',
      );
      return false;
    }
  }
}
