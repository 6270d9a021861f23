import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';

/**
 * Campaigns go through their members by id. One who has come to another id that a campaign has passed already, without a
 * message from it, would be left out.
 */
const NOTE: PlannedStatement = {
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT c.id, $2 FROM campaigns c JOIN group_members g ON g.group_id = c.group_id AND g.contact_id = $1
         WHERE c.channel_id = $3 AND c.status = 'running' AND c.cursor >= $2::uuid AND c.cursor < $1::uuid
           AND g.added_at <= c.members_at
           AND NOT EXISTS (SELECT FROM group_members k WHERE k.group_id = c.group_id AND k.contact_id = $2
                             AND k.added_at <= c.members_at)
         ON CONFLICT DO NOTHING`,
};

/** Notes the campaigns that a contact must not be left out of, before it takes over the memberships of another. */
export async function noteStragglers(
  client: pg.PoolClient,
  channelId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await client.query({ ...NOTE, values: [from, to, channelId] });
}

const HAND_OVER: PlannedStatement = {
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT campaign_id, $2 FROM campaign_stragglers WHERE contact_id = $1 ON CONFLICT DO NOTHING`,
};

/** Where one who was noted becomes part of another contact, that one is noted. */
export async function handOverStragglers(
  client: pg.PoolClient,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await client.query({ ...HAND_OVER, values: [from, to] });
}

const FIND: Statement = {
  name: 'campaigns-stragglers',
  text: 'SELECT contact_id AS id FROM campaign_stragglers WHERE campaign_id = $1 ORDER BY contact_id LIMIT $2',
};

/** Ids of members whom a campaign has passed and who still lack its message. */
export async function findStragglers(pool: pg.Pool, campaignId: string, limit: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...FIND, values: [campaignId, limit] });
  return rows.map(({ id }) => id);
}

const TAKE: Statement = {
  name: 'campaigns-take-stragglers',
  text: 'DELETE FROM campaign_stragglers WHERE campaign_id = $1 AND contact_id = ANY($2::uuid[])',
};

/** Forgets members whose messages are committed with it. @returns how many of them there were */
export async function takeStragglers(
  client: pg.PoolClient,
  campaignId: string,
  contactIds: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query({ ...TAKE, values: [campaignId, contactIds] });
  return rowCount ?? 0;
}
