import type pg from 'pg';
import type { Logger } from 'pino';
import { type Watch, watchOf } from '../../accounts/guard/guard.js';
import { AccountLocked } from '../../accounts/held-accounts.js';
import { recordHold } from '../../messages/accept/guard/hold-store.js';
import { mayBeHeld } from '../../messages/accept/guard/holds.js';
import { BLOCK_DIGITS, LOOK_BACK_MINUTES } from '../../messages/accept/guard/watch.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import type { Clock } from '../../platform/clock.js';
import { findFailingBlocks, findWatchedAccounts } from './receipt-watch-store.js';

const EVERY_MS = 10_000;

export interface ReceiptWatchOptions {
  pool: pg.Pool;
  log: Logger;
  clock: Clock;
  /** Told of what is held from now on. */
  tally: { held(reason: string): void };
}

/**
 * Holds blocks of numbers whose messages fail, for accounts that are watched. It looks beside the sending, so that no
 * receipt pays for it. Any number of processes may run one.
 */
export class ReceiptWatch extends BackgroundWork<ReceiptWatchOptions> {
  constructor(options: ReceiptWatchOptions) {
    super(options, { everyMs: EVERY_MS, failure: 'failing numbers could not be looked for' });
  }

  protected override async look(): Promise<void> {
    for (const { id, spendGuard } of await findWatchedAccounts(this.options.pool)) {
      const watch = watchOf({ spendGuard });
      if (watch) await this.#lookAt(id, watch).catch(ignoreLocked);
    }
  }

  async #lookAt(accountId: string, watch: Watch): Promise<void> {
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
      if (await recordHold(pool, hold, now)) tally.held(hold.reason);
    }
  }
}

/** The next look finds the same numbers again. The accounts after a locked one must not wait for it. */
function ignoreLocked(error: unknown): void {
  if (!(error instanceof AccountLocked)) throw error;
}
