import { requireAccount } from '../../accounts/accounts.js';
import type { ChangeResult } from '../../accounts/audit/change.js';
import { lockAccounts } from '../../accounts/ledger-store.js';
import { formatMoney } from '../../accounts/money.js';
import type { Transaction } from '../../platform/store/transaction.js';
import { cancelCampaigns, cancelClaimedMessages, cancelMessages } from './cancel-store.js';

/** Each step locks the account, so larger steps would delay the account's sends. */
const STEP_MESSAGES = 2_000;

export interface CanceledStep {
  messages: number;
  /** Campaign IDs. */
  campaigns: string[];
  /** In the account's currency. */
  refunded: string;
  currency: string;
  hasMore: boolean;
}

/**
 * Claimed messages are canceled later, without being counted. Messages accepted after `until` are not canceled, so that
 * the cancellation ends even while the account keeps sending.
 * @throws {AppError} NOT_FOUND for unknown accounts
 */
export async function cancelWaitingStep(
  { client, prisma }: Transaction,
  accountId: string,
  until: Date,
  limit = STEP_MESSAGES,
): Promise<ChangeResult<CanceledStep>> {
  await lockAccounts(client, [accountId]);
  const before = await requireAccount(prisma, accountId);
  const campaigns = await cancelCampaigns(client, accountId);
  const messages = await cancelMessages(client, accountId, limit, until);
  if (messages < limit) await cancelClaimedMessages(client, accountId, until);
  const { balanceMicros, currency } = await requireAccount(prisma, accountId);
  const refunded = formatMoney(balanceMicros - before.balanceMicros);
  const after = { messages, campaigns, refunded, currency };
  const isEmpty = messages === 0 && campaigns.length === 0;
  return {
    result: { ...after, hasMore: messages === limit },
    audit: isEmpty ? null : { action: 'account.cancelWaiting', subject: accountId, after },
  };
}
