import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../../platform/store/connections/pool.js';

/** FOR KEY SHARE keeps the tags from being deleted before the caller's transaction commits. */
const HOLD: Statement = {
  name: 'tags-hold',
  text: 'SELECT name FROM contact_tags WHERE account_id = $1 AND name = ANY($2::text[]) ORDER BY name FOR KEY SHARE',
};

export async function holdTags(client: pg.PoolClient, accountId: string, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>({ ...HOLD, values: [accountId, names] });
  return rows.map(({ name }) => name);
}

const LOCK_NEW: Statement = {
  name: 'tags-lock-new',
  text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))',
};

const INSERT: PlannedStatement = {
  text: `INSERT INTO contact_tags (account_id, name, created_at)
         SELECT $1, name, $3 FROM unnest($2::text[]) AS input(name) ORDER BY name ON CONFLICT DO NOTHING`,
};

const COUNT: PlannedStatement = {
  text: 'SELECT count(*)::int AS count FROM contact_tags WHERE account_id = $1',
};

/** Returns the account's number of tags afterwards. */
export async function insertTags(
  client: pg.PoolClient,
  accountId: string,
  names: readonly string[],
  now: Date,
): Promise<number> {
  await client.query({ ...LOCK_NEW, values: [`heliograph tags ${accountId}`] });
  await client.query({ ...INSERT, values: [accountId, names, now.toISOString()] });
  const { rows } = await client.query<{ count: number }>({ ...COUNT, values: [accountId] });
  return rows[0]?.count ?? 0;
}

const LOCK: PlannedStatement = {
  text: 'SELECT 1 FROM contact_tags WHERE account_id = $1 AND name = $2 FOR UPDATE',
};

/** Waits for transactions that add the tag to a contact. */
export async function lockTag(client: pg.PoolClient, accountId: string, name: string): Promise<boolean> {
  return (await client.query({ ...LOCK, values: [accountId, name] })).rowCount === 1;
}

const IS_USED: PlannedStatement = {
  text: `SELECT EXISTS (
           SELECT FROM channels h JOIN contacts c ON c.channel_id = h.id
           WHERE h.account_id = $1 AND (c.tags IS NOT NULL OR c.fields IS NOT NULL) AND c.tags @> ARRAY[$2::text]
             AND contact_marks(c.channel_id, c.tags, c.fields) @> contact_marks(h.id, ARRAY[$2::text], NULL)
         ) AS "isUsed"`,
};

export async function isTagUsed(client: pg.PoolClient, accountId: string, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isUsed: boolean }>({ ...IS_USED, values: [accountId, name] });
  return rows[0]?.isUsed ?? false;
}

const DELETE: PlannedStatement = { text: 'DELETE FROM contact_tags WHERE account_id = $1 AND name = $2' };

export async function deleteTagRow(client: pg.PoolClient, accountId: string, name: string): Promise<void> {
  await client.query({ ...DELETE, values: [accountId, name] });
}
