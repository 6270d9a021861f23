import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';
import { CONTACT_FIELD_NAMES, type ContactFieldValues } from '../contact-fields.js';
import { forEachField, isUnsetSql, selectFieldColumns } from '../contact-fields-sql.js';
import { type StoredMarks, toMarkColumns } from '../custom/prepare.js';

/** Locks contacts in the order of their IDs, like every transaction that locks several contacts. */
const LOCK: PlannedStatement = {
  text: `SELECT id, ${selectFieldColumns()}, coalesce(tags, '{}') AS tags, fields FROM contacts
         WHERE id = ANY($1::uuid[]) AND channel_id = $2 ORDER BY id FOR UPDATE`,
};

export interface LockedFields extends ContactFieldValues, StoredMarks {
  id: string;
}

export async function lockForMerge(
  client: pg.PoolClient,
  channelId: string,
  contactIds: readonly string[],
): Promise<LockedFields[]> {
  const { rows } = await client.query<LockedFields>({ ...LOCK, values: [contactIds, channelId] });
  return rows;
}

const MOVE_IDS: PlannedStatement = { text: 'UPDATE contact_identities SET contact_id = $2 WHERE contact_id = $1' };

const FORWARD: PlannedStatement = {
  text: `WITH before AS (UPDATE merged_contacts SET contact_id = $2 WHERE contact_id = $1)
         INSERT INTO merged_contacts (id, contact_id, merged_at) VALUES ($1, $2, $3)`,
};

const DELETE: PlannedStatement = { text: 'DELETE FROM contacts WHERE id = $1' };

export async function redirectContact(
  client: pg.PoolClient,
  { from, to }: { from: string; to: string },
  now: Date,
): Promise<void> {
  await client.query({ ...MOVE_IDS, values: [from, to] });
  await client.query({ ...FORWARD, values: [from, to, now.toISOString()] });
  await client.query({ ...DELETE, values: [from] });
}

const COMPLETE: PlannedStatement = {
  text: `UPDATE contacts
         SET ${forEachField((name, index) => `${name} = CASE WHEN ${isUnsetSql(name)} THEN $${index + 2} ELSE ${name} END`)}
         WHERE id = $1 AND (${forEachField((name, index) => `${isUnsetSql(name)} AND $${index + 2} <> ''`, ' OR ')})`,
};

/** The contact keeps its own values of the account's fields. Tags are united and sorted. */
const ADD_MARKS: PlannedStatement = {
  text: `UPDATE contacts SET fields = CASE WHEN $3::jsonb IS NULL THEN fields ELSE $3::jsonb || coalesce(fields, '{}') END,
           tags = (SELECT array_agg(tag ORDER BY tag COLLATE "C") FROM (
             SELECT unnest(tags) UNION SELECT unnest($2::text[])) AS united(tag))
         WHERE id = $1`,
};

/** Fills unset fields only, and adds tags. */
export async function completeContact(client: pg.PoolClient, id: string, source: LockedFields): Promise<void> {
  await client.query({ ...COMPLETE, values: [id, ...CONTACT_FIELD_NAMES.map((name) => source[name])] });
  const marks = toMarkColumns(source);
  if (marks.some((each) => each !== null)) await client.query({ ...ADD_MARKS, values: [id, ...marks] });
}
