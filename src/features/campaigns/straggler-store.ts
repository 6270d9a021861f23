import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { HAS_NO_MESSAGE } from './campaign-store.js';

const RECORD_MOVED: Statement = {
  name: 'campaigns-note-moved',
  text: `INSERT INTO campaign_stragglers (campaign_id, contact_id)
         SELECT c.id, m.contact_id FROM campaigns c JOIN group_members m ON m.group_id = c.group_id
         WHERE c.id = $1 AND m.added_at <= c.members_at AND m.contact_id <= $3
           AND m.contact_id > coalesce($2::uuid, '00000000-0000-0000-0000-000000000000') AND m.contact_id <> ALL ($4::uuid[])
           AND (c.winner IS NULL OR ${HAS_NO_MESSAGE})
         ON CONFLICT DO NOTHING`,
};

/** Records members that a merge added to the ID range of a batch after the batch was read. */
export async function recordMovedMembers(
  client: pg.PoolClient,
  campaignId: string,
  { from, to, batch }: { from: string | null; to: string; batch: readonly string[] },
): Promise<void> {
  await client.query({ ...RECORD_MOVED, values: [campaignId, from, to, batch] });
}

/** A straggler is owed no message after leaving the group, or if the contact already got the campaign's message. */
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

export async function findStragglers(
  pool: pg.Pool,
  campaignId: string,
  limit: number,
): Promise<{ owed: string[]; settled: string[] }> {
  const { rows } = await pool.query<{ id: string; isOwed: boolean }>({ ...FIND, values: [campaignId, limit] });
  const idsWhere = (isOwed: boolean) => rows.filter((each) => each.isOwed === isOwed).map(({ id }) => id);
  return { owed: idsWhere(true), settled: idsWhere(false) };
}

const DELETE: Statement = {
  name: 'campaigns-take-stragglers',
  text: 'DELETE FROM campaign_stragglers WHERE campaign_id = $1 AND contact_id = ANY($2::uuid[])',
};

/** Call this function in the transaction that commits the stragglers' messages. */
export async function deleteStragglers(
  client: pg.Pool | pg.PoolClient,
  campaignId: string,
  contactIds: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query({ ...DELETE, values: [campaignId, contactIds] });
  return rowCount ?? 0;
}
