import { MESSAGE_STATUSES } from '../../messages/message-status.js';
import { type CampaignStores, requireCampaign, type Scope } from './campaigns.js';
import { countForList } from './counts.js';
import { type CampaignRecipient, findRecipients } from './recipient-store.js';

export type { CampaignRecipient };

/**
 * A page of a campaign's messages, the newest first. A status that does not exist finds none. The total is as old as the
 * counts of a list may be.
 * @throws {AppError} NOT_FOUND when the channel has no such campaign
 */
export async function listRecipients(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  id: string,
  { status, limit, offset }: { status?: string; limit: number; offset: number },
): Promise<{ messages: CampaignRecipient[]; total: number }> {
  await requireCampaign(prisma, scope, id);
  const wanted = status === undefined ? null : MESSAGE_STATUSES.find((each) => each === status.toLowerCase());
  if (wanted === undefined) return { messages: [], total: 0 };
  const [counts, messages] = await Promise.all([
    countForList(pool, { accountId: scope.accountId, campaignIds: [id] }),
    findRecipients(pool, { accountId: scope.accountId, id }, { status: wanted, limit, offset }),
  ]);
  const byStatus = counts.get(id);
  const total = wanted ? (byStatus?.[wanted] ?? 0) : Object.values(byStatus ?? {}).reduce((sum, each) => sum + each, 0);
  // What was sent since the count is on the page already.
  return { messages, total: Math.max(total, messages.length === 0 ? 0 : offset + messages.length) };
}

/**
 * Messages of a campaign that are older than one, the newest first. A status that does not exist finds none.
 * @throws {AppError} NOT_FOUND when the channel has no such campaign
 */
export async function pageOfRecipients(
  { pool, prisma }: CampaignStores,
  scope: Scope,
  id: string,
  { status, limit, before }: { status?: string; limit: number; before: string | null },
): Promise<CampaignRecipient[]> {
  await requireCampaign(prisma, scope, id);
  const wanted = status === undefined ? null : MESSAGE_STATUSES.find((each) => each === status.toLowerCase());
  if (wanted === undefined) return [];
  return findRecipients(pool, { accountId: scope.accountId, id }, { status: wanted, limit, before });
}
