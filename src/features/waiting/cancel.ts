import { requireAccount } from '../../accounts/accounts.js';
import type { Changed } from '../../accounts/audit/change.js';
import { lockAccounts } from '../../accounts/ledger-store.js';
import { formatMoney } from '../../accounts/money.js';
import type { Transaction } from '../../platform/store/transaction.js';
import { cancelCampaigns, cancelHeldMessages, cancelMessages } from './cancel-store.js';

/** Messages of one step: its transaction holds the lock of the account, so that nobody sends meanwhile. */
const STEP = 2_000;

/** What one step has canceled. */
export interface CanceledStep {
  messages: number;
  /** Ids. */
  campaigns: string[];
  /** In the account's currency. */
  refunded: string;
  currency: string;
  /** More may wait: another step is needed. */
  hasMore: boolean;
}

/**
 * Cancels campaigns of an account that have not ended, and cancels and refunds messages that wait: those of every surface
 * which no worker holds and no carrier can have, scheduled ones among them. What a worker holds is canceled later, uncounted,
 * unless its carrier takes it. What was accepted after `until` is let be, so that steps come to an end while others send.
 * @param limit messages of this step at the most
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function cancelWaitingStep(
  { client, prisma }: Transaction,
  accountId: string,
  until: Date,
  limit = STEP,
): Promise<Changed<CanceledStep>> {
  await lockAccounts(client, [accountId]);
  const before = await requireAccount(prisma, accountId);
  const campaigns = await cancelCampaigns(client, accountId);
  const messages = await cancelMessages(client, accountId, limit, until);
  if (messages < limit) await cancelHeldMessages(client, accountId, until);
  const { balanceMicros, currency } = await requireAccount(prisma, accountId);
  const refunded = formatMoney(balanceMicros - before.balanceMicros);
  const after = { messages, campaigns, refunded, currency };
  const nothing = messages === 0 && campaigns.length === 0;
  return {
    result: { ...after, hasMore: messages === limit },
    told: nothing ? null : { action: 'account.cancelWaiting', subject: accountId, after },
  };
}
