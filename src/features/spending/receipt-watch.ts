import type pg from 'pg';
import type { Logger } from 'pino';
import { findWatch, type Watch } from '../../accounts/guard/guard.js';
import { AccountLocked } from '../../accounts/locked-accounts.js';
import { recordHold } from '../../messages/accept/guard/hold-store.js';
import { mayBeHeld } from '../../messages/accept/guard/holds.js';
import { BLOCK_DIGITS, LOOK_BACK_MINUTES } from '../../messages/accept/guard/watch.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { findFailingBlocks, findWatchedAccounts } from './receipt-watch-store.js';

const INTERVAL_MS = 10_000;

export interface ReceiptWatchOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  tally: { countHold(reason: string): void };
}

export class ReceiptWatch extends BackgroundWork<ReceiptWatchOptions> {
  constructor(options: ReceiptWatchOptions) {
    super(options, { everyMs: INTERVAL_MS, failure: 'could not check for failing numbers' });
  }

  protected override async poll(): Promise<void> {
    for (const { id, spendGuard } of await findWatchedAccounts(this.options.pool)) {
      const watch = findWatch({ spendGuard });
      if (watch) await this.#checkAccount(id, watch).catch(ignoreLocked);
    }
  }

  async #checkAccount(accountId: string, watch: Watch): Promise<void> {
    const { pool, clock, tally } = this.options;
    const now = clock.now();
    const since = new Date(now.getTime() - LOOK_BACK_MINUTES * 60_000);
    for (const { block, failed } of await findFailingBlocks(pool, accountId, since, BLOCK_DIGITS)) {
      if (!mayBeHeld(watch, block)) continue;
      const hold = {
        accountId,
        prefix: block,
        reason: 'receipts',
        messages: failed,
        minutes: watch.holdMinutes,
      } as const;
      if (await recordHold(pool, hold, now)) tally.countHold(hold.reason);
    }
  }
}

/** A locked account must not delay other accounts, so it is checked again in the next pass. */
function ignoreLocked(error: unknown): void {
  if (!(error instanceof AccountLocked)) throw error;
}
