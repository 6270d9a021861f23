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

/**
 * Prevents campaigns from moving their cursor during the merge. `recordMovedMembers` finds members that a campaign
 * passes after the merge.
 */
const LOCK_CAMPAIGNS: PlannedStatement = {
  text: `SELECT FROM campaigns WHERE channel_id = $1 AND status = 'running' ORDER BY id FOR SHARE`,
};

/** Call this before the contact `to` takes over the group memberships of the contact `from`. */
export async function recordStragglers(
  client: pg.PoolClient,
  channelId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await client.query({ ...LOCK_CAMPAIGNS, values: [channelId] });
  await client.query({ ...RECORD_STRAGGLERS, values: [from, to, channelId] });
}

const MOVE_STRAGGLERS: PlannedStatement = {
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT campaign_id, $2 FROM campaign_stragglers WHERE contact_id = $1 ON CONFLICT DO NOTHING`,
};

export async function moveStragglers(client: pg.PoolClient, { from, to }: { from: string; to: string }): Promise<void> {
  await client.query({ ...MOVE_STRAGGLERS, values: [from, to] });
}
