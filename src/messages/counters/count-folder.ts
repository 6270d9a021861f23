import type pg from 'pg';
import type { Logger } from 'pino';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { FOLD_ROWS, foldCounts } from './fold-store.js';

/** Counts are folded so rarely that one update of a count covers many statements. */
const FOLD_INTERVAL_MS = 10_000;

export interface CountFolderOptions {
  pool: pg.Pool;
  log: Logger;
}

/** Any number of processes may run a `CountFolder`. */
export class CountFolder extends BackgroundWork<CountFolderOptions> {
  constructor(options: CountFolderOptions) {
    super(options, { everyMs: FOLD_INTERVAL_MS, failure: 'cannot fold counts' });
  }

  protected override async poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await foldCounts(this.options.pool)) === FOLD_ROWS);
  }
}
