import type pg from 'pg';
import type { Logger } from 'pino';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { FOLD_ROWS, foldCounts } from './fold-store.js';

/** Seldom enough that a count is updated once for many statements; whoever reads counts adds what is not folded yet. */
const EVERY_MS = 10_000;

export interface CountFolderOptions {
  pool: pg.Pool;
  log: Logger;
}

/** Folds what statements counted into the counts by hour. Any number of processes may run it. */
export class CountFolder extends BackgroundWork<CountFolderOptions> {
  constructor(options: CountFolderOptions) {
    super(options, { everyMs: EVERY_MS, failure: 'counts could not be folded' });
  }

  protected override async look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await foldCounts(this.options.pool)) === FOLD_ROWS);
  }
}
