import type pg from 'pg';
import type { Logger } from 'pino';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { emitLowBalances } from './watch-store.js';

const POLL_INTERVAL_MS = 1_000;

export interface LowBalanceWatchOptions {
  pool: pg.Pool;
  log: Logger;
  wakeDeliverer(): void;
}

/**
 * Emits an event when an account's balance falls below its threshold, and no further event until the balance has
 * recovered.
 */
export class LowBalanceWatch extends BackgroundWork<LowBalanceWatchOptions> {
  constructor(options: LowBalanceWatchOptions) {
    super(options, { everyMs: POLL_INTERVAL_MS, failure: 'could not check for low balances' });
  }

  protected override async poll(): Promise<void> {
    if ((await emitLowBalances(this.options.pool)) > 0) this.options.wakeDeliverer();
  }
}
