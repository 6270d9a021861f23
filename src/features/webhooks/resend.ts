import { AppError } from '../../platform/errors/app-error.js';
import { lowestIdAt } from '../../platform/ids.js';
import type { Transaction } from '../../platform/store/transaction.js';
import { enableWebhook, resendFailed } from './every-webhook-store.js';
import { webhookNotFound } from './webhooks.js';

/** Maximum deliveries per call. */
export const MAX_RESENT = 10_000;

export interface ResendResult {
  accountId: string;
  wasActive: boolean;
  resent: number;
}

/**
 * Resends failed deliveries of events since `since`, in the caller's transaction. If `enables` is set, a disabled
 * webhook is enabled first.
 * @throws {AppError} NOT_FOUND; CONFLICT if the webhook is disabled and `enables` is false
 */
export async function resendDeliveries(
  { client, prisma }: Transaction,
  webhookId: string,
  { since, enables }: { since: Date; enables: boolean },
): Promise<ResendResult> {
  const webhook = await prisma.webhook.findFirst({
    where: { id: webhookId, isCallback: false },
    select: { accountId: true, isActive: true },
  });
  if (!webhook) throw webhookNotFound();
  const { accountId, isActive: wasActive } = webhook;
  if (!wasActive && !enables) throw new AppError('CONFLICT', 'The webhook is disabled. Add --enable to enable it.');
  if (enables) await enableWebhook(client, webhookId);
  const resent = await resendFailed(client, webhookId, { after: lowestIdAt(since), limit: MAX_RESENT });
  return { accountId, wasActive, resent };
}
