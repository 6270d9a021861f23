import type pg from 'pg';
import type { Logger } from 'pino';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { tellLowBalances } from './watch-store.js';

const EVERY_MS = 1_000;

export interface LowBalanceWatchOptions {
  pool: pg.Pool;
  log: Logger;
  /** Called when there are events to deliver. */
  wakeDeliverer(): void;
}

/**
 * Tells the webhooks of accounts whose balance has fallen below their threshold: once, and again only after it has come up
 * to it. It looks once a second, so that no debit pays for it. Any number of processes may run one.
 */
export class LowBalanceWatch extends BackgroundWork<LowBalanceWatchOptions> {
  constructor(options: LowBalanceWatchOptions) {
    super(options, { everyMs: EVERY_MS, failure: 'low balances could not be looked for' });
  }

  protected override async look(): Promise<void> {
    if ((await tellLowBalances(this.options.pool)) > 0) this.options.wakeDeliverer();
  }
}
