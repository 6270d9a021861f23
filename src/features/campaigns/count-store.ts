import type { MessageStatus } from '../../platform/generated/prisma/client.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';

/** Includes zeros. */
export type MessageCounts = Record<MessageStatus, number>;

export interface CampaignRefs {
  accountId: string;
  campaignIds: readonly string[];
}

const COUNT: Statement = {
  name: 'campaigns-count',
  text: `SELECT campaign_id AS "campaignId", status, count(*)::int AS count FROM messages
         WHERE campaign_id = ANY($1::uuid[]) AND account_id = $2 GROUP BY campaign_id, status`,
};

export interface StatusCount {
  campaignId: string;
  status: MessageStatus;
  /** At least 1. */
  count: number;
}

/** Omits zeros. */
export async function countByStatus(
  pool: Connection,
  { accountId, campaignIds }: CampaignRefs,
): Promise<StatusCount[]> {
  const { rows } = await pool.query<StatusCount>({ ...COUNT, values: [campaignIds, accountId] });
  return rows;
}

export interface CachedCounts {
  id: string;
  /** Null if never counted. */
  counts: Partial<MessageCounts> | null;
  isStale: boolean;
}

/** Counts are stale when older than both one second and a hundredth of the time since the campaign started. */
const FIND_STALE: Statement = {
  name: 'campaigns-find-stale-counts',
  text: `SELECT id, counts, members_at IS NOT NULL AND (counted_at IS NULL
           OR counted_at < now() - greatest(interval '1 second', (now() - members_at) / 100)) AS "isStale"
         FROM campaigns WHERE id = ANY($1::uuid[]) AND account_id = $2`,
};

/** Omits other accounts' campaigns. */
export async function findCachedCounts(
  pool: Connection,
  { accountId, campaignIds }: CampaignRefs,
): Promise<CachedCounts[]> {
  const { rows } = await pool.query<CachedCounts>({ ...FIND_STALE, values: [campaignIds, accountId] });
  return rows;
}

const CACHE_COUNTS: Statement = {
  name: 'campaigns-keep-counts',
  text: `
WITH free AS (SELECT id FROM campaigns WHERE id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED)
UPDATE campaigns c SET counts = fresh.counts, counted_at = now()
FROM free, unnest($1::uuid[], $2::jsonb[]) AS fresh(id, counts) WHERE c.id = free.id AND fresh.id = c.id`,
};

/** Skips rows that another transaction has locked. */
export async function cacheCounts(pool: Connection, counts: ReadonlyMap<string, MessageCounts>): Promise<void> {
  await pool.query({
    ...CACHE_COUNTS,
    values: [[...counts.keys()], [...counts.values()].map((each) => JSON.stringify(each))],
  });
}
