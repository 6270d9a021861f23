import { MessageStatus } from '../../platform/generated/prisma/client.js';
import type { Connection } from '../../platform/store/within.js';
import { type CampaignsOf, countByStatus, findKeptCounts, keepCounts, type MessageCounts } from './count-store.js';

export type { MessageCounts };

/** Counts the messages of campaigns now: some 50 ms for 100,000 of them. */
export async function countNow(
  pool: Connection,
  { accountId, campaignIds }: CampaignsOf,
): Promise<Map<string, MessageCounts>> {
  const rows = await countByStatus(pool, { accountId, campaignIds });
  const counts = new Map(campaignIds.map((id) => [id, noMessages()]));
  for (const { campaignId, status, count } of rows) (counts.get(campaignId) as MessageCounts)[status] = count;
  return counts;
}

/** Counts for a list, which may be as old as a hundredth of their campaign's age: a page may stand for millions. */
export async function countForList(pool: Connection, campaigns: CampaignsOf): Promise<Map<string, MessageCounts>> {
  const rows = await findKeptCounts(pool, campaigns);
  const counts = new Map(rows.map((row) => [row.id, { ...noMessages(), ...row.counts }]));
  const stale = rows.filter((row) => row.stale).map((row) => row.id);
  if (stale.length === 0) return counts;
  const fresh = await countNow(pool, { accountId: campaigns.accountId, campaignIds: stale });
  for (const [id, each] of fresh) counts.set(id, each);
  await keepCounts(pool, fresh);
  return counts;
}

function noMessages(): MessageCounts {
  return Object.fromEntries(Object.values(MessageStatus).map((status) => [status, 0])) as MessageCounts;
}
