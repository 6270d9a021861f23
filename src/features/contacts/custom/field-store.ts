import type pg from 'pg';
import type { PlannedStatement, Statement } from '../../../platform/store/connections/pool.js';
import type { Connection } from '../../../platform/store/with-transaction.js';
import { FIELD_KEY, type FieldDefinition } from './field-values.js';

export interface StoredField extends FieldDefinition {
  id: string;
  createdAt: Date;
  updatedAt: Date;
}

const COLUMNS = 'id, key, label, type, choices, created_at AS "createdAt", updated_at AS "updatedAt"';

/** FOR SHARE keeps the fields from being changed or deleted before the caller's transaction commits. */
const HOLD: Statement = {
  name: 'fields-hold',
  text: `SELECT ${COLUMNS} FROM contact_fields
         WHERE account_id = $1 AND key = ANY($2::text[]) AND deleted_at IS NULL ORDER BY key FOR SHARE`,
};

export async function holdFields(
  client: Connection,
  accountId: string,
  keys: readonly string[],
): Promise<StoredField[]> {
  // Keys from requests may contain characters that PostgreSQL refuses.
  const possibleKeys = keys.filter((key) => FIELD_KEY.test(key));
  const { rows } = await client.query<StoredField>({ ...HOLD, values: [accountId, possibleKeys] });
  return rows;
}

const LOCK_NEW: PlannedStatement = { text: 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))' };

const COUNT: PlannedStatement = {
  text: 'SELECT count(*)::int AS count FROM contact_fields WHERE account_id = $1 AND deleted_at IS NULL',
};

/** Prevents concurrent transactions from creating fields of the account. */
export async function lockAndCountFields(client: pg.PoolClient, accountId: string): Promise<number> {
  await client.query({ ...LOCK_NEW, values: [`heliograph contact fields ${accountId}`] });
  const { rows } = await client.query<{ count: number }>({ ...COUNT, values: [accountId] });
  return rows[0]?.count ?? 0;
}

const INSERT: PlannedStatement = {
  text: `INSERT INTO contact_fields (id, account_id, key, label, type, choices, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5::contact_field_type, $6, $7, $7)
         ON CONFLICT (account_id, key) DO NOTHING RETURNING ${COLUMNS}`,
};

/** Returns null if the account has or had a field with the key. */
export async function insertField(
  client: pg.PoolClient,
  { id, accountId, key, label, type, choices, at }: FieldDefinition & { id: string; accountId: string; at: Date },
): Promise<StoredField | null> {
  const values = [id, accountId, key, label, type, choices, at.toISOString()];
  const { rows } = await client.query<StoredField>({ ...INSERT, values });
  return rows[0] ?? null;
}

const LOCK: PlannedStatement = {
  text: `SELECT ${COLUMNS} FROM contact_fields WHERE account_id = $1 AND key = $2 AND deleted_at IS NULL FOR NO KEY UPDATE`,
};

export async function lockField(client: pg.PoolClient, accountId: string, key: string): Promise<StoredField | null> {
  const { rows } = await client.query<StoredField>({ ...LOCK, values: [accountId, key] });
  return rows[0] ?? null;
}

const UPDATE: PlannedStatement = {
  text: `UPDATE contact_fields SET label = $2, choices = $3, updated_at = $4 WHERE id = $1 RETURNING ${COLUMNS}`,
};

export async function updateFieldRow(
  client: pg.PoolClient,
  { id, label, choices }: Pick<StoredField, 'id' | 'label' | 'choices'>,
  now: Date,
): Promise<StoredField> {
  const { rows } = await client.query<StoredField>({ ...UPDATE, values: [id, label, choices, now.toISOString()] });
  return rows[0] as StoredField;
}

const MARK_DELETED: PlannedStatement = { text: 'UPDATE contact_fields SET deleted_at = $2 WHERE id = $1' };

export async function markFieldDeleted(client: pg.PoolClient, id: string, now: Date): Promise<void> {
  await client.query({ ...MARK_DELETED, values: [id, now.toISOString()] });
}
