import { type BackgroundStoreOptions, BackgroundWork } from '../../../platform/background/background-work.js';
import { isStoreUnreachable } from '../../../platform/store/failures.js';
import { type ReplayOptions, replayReport } from './replay.js';
import { claimQueuedReplays, dequeueReplay } from './replay-queue-store.js';

const BATCH_SIZE = 50;
const POLL_INTERVAL_MS = 1_000;

export type ReplayRunnerOptions = BackgroundStoreOptions & Pick<ReplayOptions, 'seal' | 'apply'>;

/** Replays queued reports. After a crash, a replay may run a second time, which has no further effect. */
export class ReplayRunner extends BackgroundWork<ReplayRunnerOptions> {
  constructor(options: ReplayRunnerOptions) {
    super(options, { everyMs: POLL_INTERVAL_MS, failure: 'reports cannot be replayed: the database is unavailable' });
  }

  protected override async poll(signal: AbortSignal): Promise<number> {
    const reports = await claimQueuedReplays(this.options.pool, BATCH_SIZE);
    for (const report of reports) {
      if (signal.aborted) return POLL_INTERVAL_MS;
      if (!(await this.#tryReplay(report))) await dequeueReplay(this.options.pool, report.id);
    }
    return reports.length === BATCH_SIZE ? 0 : POLL_INTERVAL_MS;
  }

  async #tryReplay(report: Parameters<typeof replayReport>[1]): Promise<boolean> {
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
