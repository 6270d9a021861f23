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

/** What a campaign passes meanwhile waits, and is then looked at by who passes it: see `noteMoved`. */
const HOLD: PlannedStatement = {
  text: `SELECT FROM campaigns WHERE channel_id = $1 AND status = 'running' ORDER BY id FOR SHARE`,
};

/** Notes the campaigns that a contact must not be left out of, before it takes over the memberships of another. */
export async function noteStragglers(
  client: pg.PoolClient,
  channelId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await client.query({ ...HOLD, values: [channelId] });
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

const NOTE_MOVED: Statement = {
  name: 'campaigns-note-moved',
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT c.id, m.contact_id FROM campaigns c JOIN group_members m ON m.group_id = c.group_id
         WHERE c.id = $1 AND m.added_at <= c.members_at AND m.contact_id <= $3
           AND m.contact_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') AND m.contact_id <> ALL ($4::uuid[])
         ON CONFLICT DO NOTHING`,
};

/**
 * Notes those who became members of what a campaign passes, as somebody else's place came to them, since its batch was read; in the
 * transaction that has moved its cursor.
 */
export async function noteMoved(
  client: pg.PoolClient,
  campaignId: string,
  { from, to, batch }: { from: string | null; to: string; batch: readonly string[] },
): Promise<void> {
  await client.query({ ...NOTE_MOVED, values: [campaignId, from, to, batch] });
}

/** One who left the group since is owed nothing, and nor is one who has the message as the other whom they became. */
const FIND: Statement = {
  name: 'campaigns-stragglers',
  text: `SELECT s.contact_id AS id,
           EXISTS (SELECT FROM group_members m
                   WHERE m.group_id = c.group_id AND m.contact_id = s.contact_id AND m.added_at <= c.members_at)
           AND NOT EXISTS (SELECT FROM conversations v JOIN messages m ON m.conversation_id = v.id
                           WHERE v.contact_id = s.contact_id AND m.campaign_id = c.id) AS "isOwed"
         FROM campaign_stragglers s JOIN campaigns c ON c.id = s.campaign_id
         WHERE s.campaign_id = $1 ORDER BY s.contact_id LIMIT $2`,
};

/** Ids of members whom a campaign has passed: those who are owed its message, and those who were noted and no longer are. */
export async function findStragglers(
  pool: pg.Pool,
  campaignId: string,
  limit: number,
): Promise<{ owed: string[]; settled: string[] }> {
  const { rows } = await pool.query<{ id: string; isOwed: boolean }>({ ...FIND, values: [campaignId, limit] });
  const of = (isOwed: boolean) => rows.filter((each) => each.isOwed === isOwed).map(({ id }) => id);
  return { owed: of(true), settled: of(false) };
}

const TAKE: Statement = {
  name: 'campaigns-take-stragglers',
  text: 'DELETE FROM campaign_stragglers WHERE campaign_id = $1 AND contact_id = ANY($2::uuid[])',
};

/** Forgets members whose messages are committed with it, or who are owed none. @returns how many of them there were */
export async function takeStragglers(
  client: pg.Pool | pg.PoolClient,
  campaignId: string,
  contactIds: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query({ ...TAKE, values: [campaignId, contactIds] });
  return rowCount ?? 0;
}
