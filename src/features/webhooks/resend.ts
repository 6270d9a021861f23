import { AppError } from '../../platform/errors/app-error.js';
import { lowestIdAt } from '../../platform/ids.js';
import type { Transaction } from '../../platform/store/transaction.js';
import { enableWebhook, resendFailed } from './every-webhook-store.js';
import { noWebhook } from './webhooks.js';

/** Deliveries that are queued again at once; who has more says so again. */
export const MOST_RESENT = 10_000;

export interface Resent {
  accountId: string;
  wasActive: boolean;
  /** Deliveries that are due again. */
  resent: number;
}

/**
 * Queues deliveries of a webhook again that were given up, MOST_RESENT at the most, in the transaction of the caller. The
 * deliverer of any process finds them within seconds.
 * @param options.since those of events from this moment on; without it, all that are in the log
 * @param options.enables switches a webhook on that is off
 * @throws {AppError} NOT_FOUND; CONFLICT where it is off and `enables` is not true
 */
export async function resendDeliveries(
  { client, prisma }: Transaction,
  webhookId: string,
  { since, enables }: { since: Date; enables: boolean },
): Promise<Resent> {
  const webhook = await prisma.webhook.findFirst({
    where: { id: webhookId, isCallback: false },
    select: { accountId: true, isActive: true },
  });
  if (!webhook) throw noWebhook();
  const { accountId, isActive: wasActive } = webhook;
  if (!wasActive && !enables)
    throw new AppError('CONFLICT', 'The webhook is not active: say --enable to switch it on.');
  if (enables) await enableWebhook(client, webhookId);
  const resent = await resendFailed(client, webhookId, { after: lowestIdAt(since), limit: MOST_RESENT });
  return { accountId, wasActive, resent };
}
