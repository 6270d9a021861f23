import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** In the order of ids, as whatever changes contacts locks them. */
const LOCK: PlannedStatement = {
  text: 'SELECT id, name, email FROM contacts WHERE id = ANY($1::uuid[]) AND channel_id = $2 ORDER BY id FOR UPDATE',
};

/** A contact that becomes part of another, or stays. */
export interface MergedRow {
  id: string;
  name: string;
  email: string;
}

/** Locks those of some contacts that the channel has; nobody sends to them, or moves them, until the transaction ends. */
export async function lockForMerge(
  client: pg.PoolClient,
  channelId: string,
  contactIds: readonly string[],
): Promise<MergedRow[]> {
  const { rows } = await client.query<MergedRow>({ ...LOCK, values: [contactIds, channelId] });
  return rows;
}

const MOVE_IDS: PlannedStatement = { text: 'UPDATE contact_identities SET contact_id = $2 WHERE contact_id = $1' };

const FORWARD: PlannedStatement = {
  text: `WITH before AS (UPDATE merged_contacts SET contact_id = $2 WHERE contact_id = $1)
         INSERT INTO merged_contacts (id, contact_id, merged_at) VALUES ($1, $2, $3)`,
};

const DELETE: PlannedStatement = { text: 'DELETE FROM contacts WHERE id = $1' };

/** Moves the ids of a contact to another, leads whoever still names it there, and deletes it. */
export async function forwardContact(client: pg.PoolClient, from: string, to: string, now: Date): Promise<void> {
  await client.query({ ...MOVE_IDS, values: [from, to] });
  await client.query({ ...FORWARD, values: [from, to, now.toISOString()] });
  await client.query({ ...DELETE, values: [from] });
}

const COMPLETE: PlannedStatement = {
  text: `UPDATE contacts SET name = CASE WHEN name = '' THEN $2 ELSE name END,
           email = CASE WHEN email = '' THEN $3 ELSE email END
         WHERE id = $1 AND (name = '' AND $2 <> '' OR email = '' AND $3 <> '')`,
};

/** Gives a contact the name and address that it lacks. */
export async function completeContact(client: pg.PoolClient, id: string, { name, email }: MergedRow): Promise<void> {
  await client.query({ ...COMPLETE, values: [id, name, email] });
}
