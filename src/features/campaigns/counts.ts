import { MessageStatus } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { type CampaignRefs, cacheCounts, countByStatus, findCachedCounts, type MessageCounts } from './count-store.js';

export type { MessageCounts };

/** Counting takes about 50 ms per 100,000 messages. */
export async function countNow(
  pool: Connection,
  { accountId, campaignIds }: CampaignRefs,
): Promise<Map<string, MessageCounts>> {
  const rows = await countByStatus(pool, { accountId, campaignIds });
  const counts = new Map(campaignIds.map((id) => [id, createEmptyCounts()]));
  for (const { campaignId, status, count } of rows) (counts.get(campaignId) as MessageCounts)[status] = count;
  return counts;
}

/** Uses cached counts, because the listed campaigns may have millions of messages. */
export async function countForList(pool: Connection, campaigns: CampaignRefs): Promise<Map<string, MessageCounts>> {
  const rows = await findCachedCounts(pool, campaigns);
  const counts = new Map(rows.map((row) => [row.id, { ...createEmptyCounts(), ...row.counts }]));
  const staleIds = rows.filter((row) => row.isStale).map((row) => row.id);
  if (staleIds.length === 0) return counts;
  const freshCounts = await countNow(pool, { accountId: campaigns.accountId, campaignIds: staleIds });
  for (const [id, each] of freshCounts) counts.set(id, each);
  await cacheCounts(pool, freshCounts);
  return counts;
}

function createEmptyCounts(): MessageCounts {
  return Object.fromEntries(Object.values(MessageStatus).map((status) => [status, 0])) as MessageCounts;
}
