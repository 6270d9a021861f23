import type { MessageStatus } from '../../platform/generated/prisma/client.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';

/** Messages of a campaign by status; every status is there. */
export type MessageCounts = Record<MessageStatus, number>;

/** Some campaigns of an account. */
export interface CampaignsOf {
  accountId: string;
  campaignIds: readonly string[];
}

const COUNT: Statement = {
  name: 'campaigns-count',
  text: `SELECT campaign_id AS "campaignId", status, count(*)::int AS count FROM messages
         WHERE campaign_id = ANY($1::uuid[]) AND account_id = $2 GROUP BY campaign_id, status`,
};

/** Messages of one campaign that have one status. */
export interface StatusCount {
  campaignId: string;
  status: MessageStatus;
  /** At least 1. */
  count: number;
}

/** Counts the messages of some campaigns; a status that no message has is left out. */
export async function countByStatus(pool: Connection, { accountId, campaignIds }: CampaignsOf): Promise<StatusCount[]> {
  const { rows } = await pool.query<StatusCount>({ ...COUNT, values: [campaignIds, accountId] });
  return rows;
}

/** What was counted last for a campaign. */
export interface KeptCounts {
  /** Of the campaign. */
  id: string;
  /** Null before they were counted for the first time. */
  counts: Partial<MessageCounts> | null;
  /** They are to be taken again. */
  stale: boolean;
}

/** Counts that are older than a hundredth of their campaign's age, and than a second, are taken again. */
const FIND_STALE: Statement = {
  name: 'campaigns-find-stale-counts',
  text: `SELECT id, counts, members_at IS NOT NULL AND (counted_at IS NULL
           OR counted_at < now() - greatest(interval '1 second', (now() - members_at) / 100)) AS stale
         FROM campaigns WHERE id = ANY($1::uuid[]) AND account_id = $2`,
};

/** The counts that are kept of those of the campaigns that the account has. */
export async function findKeptCounts(pool: Connection, { accountId, campaignIds }: CampaignsOf): Promise<KeptCounts[]> {
  const { rows } = await pool.query<KeptCounts>({ ...FIND_STALE, values: [campaignIds, accountId] });
  return rows;
}

const KEEP: Statement = {
  name: 'campaigns-keep-counts',
  text: `
WITH free AS (SELECT id FROM campaigns WHERE id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED)
UPDATE campaigns c SET counts = fresh.counts, counted_at = now()
FROM free, unnest($1::uuid[], $2::jsonb[]) AS fresh(id, counts) WHERE c.id = free.id AND fresh.id = c.id`,
};

/** Keeps counts by campaign, taken just now; a campaign that another transaction has locked keeps its old ones. */
export async function keepCounts(pool: Connection, counts: ReadonlyMap<string, MessageCounts>): Promise<void> {
  await pool.query({
    ...KEEP,
    values: [[...counts.keys()], [...counts.values()].map((each) => JSON.stringify(each))],
  });
}
