import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

const LOCK: PlannedStatement = {
  text: `SELECT id FROM contact_groups WHERE id IN (SELECT group_id FROM group_members WHERE contact_id = $1)
         ORDER BY id FOR NO KEY UPDATE`,
};

/** A person gets a campaign's message if either contact was a group member when the campaign started. */
const KEEP_EARLIER: PlannedStatement = {
  text: `UPDATE group_members k SET added_at = least(k.added_at, g.added_at)
         FROM group_members g WHERE g.contact_id = $1 AND k.contact_id = $2 AND k.group_id = g.group_id`,
};

const MOVE: PlannedStatement = {
  text: `UPDATE group_members g SET contact_id = $2 WHERE g.contact_id = $1
           AND NOT EXISTS (SELECT FROM group_members k WHERE k.group_id = g.group_id AND k.contact_id = $2)`,
};

const LEAVE: PlannedStatement = {
  text: `WITH removed AS (DELETE FROM group_members WHERE contact_id = $1 RETURNING group_id)
         UPDATE contact_groups SET contact_count = contact_count - 1 FROM removed WHERE id = removed.group_id`,
};

export async function moveMemberships(
  client: pg.PoolClient,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const { rowCount } = await client.query({ ...LOCK, values: [from] });
  if (rowCount === 0) return;
  await client.query({ ...KEEP_EARLIER, values: [from, to] });
  await client.query({ ...MOVE, values: [from, to] });
  await client.query({ ...LEAVE, values: [from] });
}
