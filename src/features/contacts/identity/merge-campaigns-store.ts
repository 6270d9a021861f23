import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/**
 * Campaigns process members in the order of contact IDs. Without a straggler record, a merged member would get no
 * message if the campaign has already passed the surviving contact's ID.
 */
const RECORD_STRAGGLERS: PlannedStatement = {
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT c.id, $2 FROM campaigns c JOIN group_members g ON g.group_id = c.group_id AND g.contact_id = $1
         WHERE c.channel_id = $3 AND c.status = 'running' AND c.cursor >= $2::uuid AND c.cursor < $1::uuid
           AND g.added_at <= c.members_at
           AND NOT EXISTS (SELECT FROM group_members k WHERE k.group_id = c.group_id AND k.contact_id = $2
                             AND k.added_at <= c.members_at)
         ON CONFLICT DO NOTHING`,
};

/** The same for recipients who are stored for a campaign. */
const RECORD_STORED_STRAGGLERS: PlannedStatement = {
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT c.id, $2 FROM campaign_recipients r JOIN campaigns c ON c.id = r.campaign_id
         WHERE r.contact_id = $1 AND c.status = 'running' AND c.cursor >= $2::uuid AND c.cursor < $1::uuid
           AND NOT EXISTS (SELECT FROM campaign_recipients k WHERE k.campaign_id = c.id AND k.contact_id = $2)
         ON CONFLICT DO NOTHING`,
};

/** A campaign that is still storing its groups' members may have passed the surviving contact's ID. */
const MOVE_RECIPIENTS: PlannedStatement = {
  text: `INSERT INTO campaign_recipients AS k (campaign_id, contact_id, from_group)
         SELECT campaign_id, $2, bool_and(from_group) FROM (
           SELECT r.campaign_id, r.from_group FROM campaign_recipients r WHERE r.contact_id = $1
           UNION ALL SELECT c.id, true FROM campaigns c
             JOIN group_members g ON g.group_id = ANY (c.group_ids) AND g.contact_id = $1 AND g.added_at <= c.members_at
           WHERE c.channel_id = $3 AND c.status = 'running' AND c.gathering IS NOT NULL) AS moved
         GROUP BY campaign_id
         ON CONFLICT (campaign_id, contact_id) DO UPDATE SET from_group = false WHERE k.from_group AND NOT EXCLUDED.from_group`,
};

/**
 * Prevents campaigns from moving their cursor during the merge. `recordMovedMembers` finds members that a campaign
 * passes after the merge.
 */
const LOCK_CAMPAIGNS: PlannedStatement = {
  text: `SELECT FROM campaigns WHERE channel_id = $1 AND status = 'running' ORDER BY id FOR SHARE`,
};

/** Call this before the contact `to` takes over the group memberships and campaigns of the contact `from`. */
export async function recordStragglers(
  client: pg.PoolClient,
  channelId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await client.query({ ...LOCK_CAMPAIGNS, values: [channelId] });
  await client.query({ ...RECORD_STRAGGLERS, values: [from, to, channelId] });
  await client.query({ ...RECORD_STORED_STRAGGLERS, values: [from, to] });
  await client.query({ ...MOVE_RECIPIENTS, values: [from, to, channelId] });
}

const MOVE_STRAGGLERS: PlannedStatement = {
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT campaign_id, $2 FROM campaign_stragglers WHERE contact_id = $1 ON CONFLICT DO NOTHING`,
};

export async function moveStragglers(client: pg.PoolClient, { from, to }: { from: string; to: string }): Promise<void> {
  await client.query({ ...MOVE_STRAGGLERS, values: [from, to] });
}
