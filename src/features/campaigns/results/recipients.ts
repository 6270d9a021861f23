import { MESSAGE_STATUSES } from '../../../messages/message-status.js';
import { type CampaignStores, requireCampaign, type Scope } from '../campaigns.js';
import { countForList } from '../counts.js';
import { type CampaignRecipient, findRecipients } from './recipient-store.js';

export type { CampaignRecipient };

/** Lists the newest messages first, and none for an unknown status. The total comes from cached counts. */
export async function listRecipients(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  id: string,
  { status, limit, offset }: { status?: string; limit: number; offset: number },
): Promise<{ messages: CampaignRecipient[]; total: number }> {
  await requireCampaign(prisma, scope, id);
  const messageStatus = status === undefined ? null : MESSAGE_STATUSES.find((each) => each === status.toLowerCase());
  if (messageStatus === undefined) return { messages: [], total: 0 };
  const [counts, messages] = await Promise.all([
    countForList(pool, { accountId: scope.accountId, campaignIds: [id] }),
    findRecipients(pool, { accountId: scope.accountId, id }, { status: messageStatus, limit, offset }),
  ]);
  const byStatus = counts.get(id);
  const total = messageStatus
    ? (byStatus?.[messageStatus] ?? 0)
    : Object.values(byStatus ?? {}).reduce((sum, each) => sum + each, 0);
  // The page may already contain messages that were committed after the counts were cached.
  return { messages, total: Math.max(total, messages.length === 0 ? 0 : offset + messages.length) };
}

export async function listRecipientsBefore(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  id: string,
  { status, limit, before }: { status?: string; limit: number; before: string | null },
): Promise<CampaignRecipient[]> {
  await requireCampaign(prisma, scope, id);
  const messageStatus = status === undefined ? null : MESSAGE_STATUSES.find((each) => each === status.toLowerCase());
  if (messageStatus === undefined) return [];
  return findRecipients(pool, { accountId: scope.accountId, id }, { status: messageStatus, limit, before });
}
