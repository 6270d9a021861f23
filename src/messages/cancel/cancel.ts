import { type AccountStore, inAccountTransaction } from '../../accounts/account-transaction.js';
import type { Clock } from '../../platform/clock.js';
import { cancelQueuedMessage } from './cancel-store.js';

export interface CancelOptions extends AccountStore {
  clock: Clock;
}

export function cancelMessage(options: CancelOptions, message: { id: string; accountId: string }): Promise<boolean> {
  return inAccountTransaction(options, message.accountId, (client) =>
    cancelQueuedMessage(client, message, options.clock.now()),
  );
}
