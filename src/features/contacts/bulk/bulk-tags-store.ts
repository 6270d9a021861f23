import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { CONTACT_COLUMNS, type ContactRow } from '../record.js';

const CHANGE: PlannedStatement = {
  text: `
WITH locked AS MATERIALIZED (
  SELECT id, tags FROM contacts WHERE id = ANY($1::uuid[]) AND channel_id = $2 AND account_id = $3
  ORDER BY id FOR NO KEY UPDATE
), changed AS MATERIALIZED (
  SELECT id, tags, (
    SELECT array_agg(tag ORDER BY tag COLLATE "C") FROM (SELECT unnest(tags) UNION SELECT unnest($4::text[])) AS united(tag)
    WHERE tag <> ALL ($5::text[])
  ) AS new_tags FROM locked
), updated AS (
  UPDATE contacts c SET tags = n.new_tags, updated_at = $6 FROM changed n
  WHERE c.id = n.id AND n.new_tags IS DISTINCT FROM n.tags RETURNING c.*
)
SELECT ${CONTACT_COLUMNS} FROM updated`,
};

interface TagChange {
  accountId: string;
  channelId: string;
  /** Sorted, because contacts are locked in the order of their IDs. */
  contactIds: readonly string[];
  add: readonly string[];
  remove: readonly string[];
}

/** Skips unknown contacts. Returns the changed contacts. */
export async function changeTags(
  client: pg.PoolClient,
  { accountId, channelId, contactIds, add, remove }: TagChange,
  now: Date,
): Promise<ContactRow[]> {
  const values = [contactIds, channelId, accountId, add, remove, now];
  const { rows } = await client.query<ContactRow>({ ...CHANGE, values });
  return rows;
}
