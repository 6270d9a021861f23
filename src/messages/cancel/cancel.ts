import { lockAccount } from '../../accounts/ledger-store.js';
import type { Clock } from '../../platform/clock.js';
import { type Connection, within } from '../../platform/store/within.js';
import { cancelQueuedMessage } from './cancel-store.js';

export interface CancelOptions {
  pool: Connection;
  clock: Clock;
}

/**
 * Ends a message of Surface A that waits, and refunds it.
 * @returns whether it did; false when the account has no such message, or when it does not wait any more
 */
export function cancelMessage(
  { pool, clock }: CancelOptions,
  message: { id: string; accountId: string },
): Promise<boolean> {
  return within(pool, async (client) => {
    await lockAccount(client, message.accountId);
    return cancelQueuedMessage(client, message, clock.now());
  });
}
