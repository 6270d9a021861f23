import type pg from 'pg';
import type { WebhookFormat } from '../../../platform/generated/prisma/client.js';
import type { PlannedStatement, Statement } from '../../../platform/store/connections/pool.js';

const FIND: Statement = {
  name: 'callbacks-find-endpoint',
  text: 'SELECT id FROM webhooks WHERE account_id = $1 AND url = $2 AND is_callback',
};

export async function findEndpoint(
  connection: pg.Pool | pg.PoolClient,
  accountId: string,
  url: string,
): Promise<string | null> {
  const { rows } = await connection.query<{ id: string }>({ ...FIND, values: [accountId, url] });
  return rows[0]?.id ?? null;
}

/** Without this lock, concurrent inserts could exceed the limit of endpoints. */
const LOCK: PlannedStatement = { text: `SELECT pg_advisory_xact_lock(hashtextextended('callbacks ' || $1, 0))` };

const INSERT: PlannedStatement = {
  text: `INSERT INTO webhooks (id, account_id, url, events, secret, is_callback, format)
         SELECT $1, $2, $3, '{}', '', true, $5::webhook_format
         WHERE (SELECT count(*) FROM webhooks WHERE account_id = $2 AND is_callback) < $4
         ON CONFLICT (account_id, url) WHERE is_callback DO NOTHING`,
};

const KEEP_SECRET: PlannedStatement = {
  text: 'UPDATE accounts SET callback_secret = $2 WHERE id = $1 AND callback_secret IS NULL',
};

/**
 * Creates an endpoint, and a callback secret if the account has none. The caller's transaction must hold the lock of
 * the account. Returns the ID of the new or existing endpoint, or null if the account has `max` endpoints.
 */
export async function insertEndpoint(
  client: pg.PoolClient,
  {
    id,
    accountId,
    url,
    secret,
    format,
  }: { id: string; accountId: string; url: string; secret: string; format: WebhookFormat },
  max: number,
): Promise<string | null> {
  await client.query({ ...LOCK, values: [accountId] });
  await client.query({ ...INSERT, values: [id, accountId, url, max, format] });
  await client.query({ ...KEEP_SECRET, values: [accountId, secret] });
  return findEndpoint(client, accountId, url);
}

const ROTATE: PlannedStatement = {
  text: `UPDATE accounts SET callback_secret = $2, callback_previous_secret = callback_secret,
           callback_previous_secret_expires_at = CASE WHEN callback_secret IS NOT NULL THEN $3::timestamptz END
         WHERE id = $1 RETURNING callback_previous_secret_expires_at AS "expiresAt"`,
};

/**
 * The previous secret is also used for signatures until it expires, in business time. The caller's transaction must
 * hold the lock of the account. Returns when the previous secret expires, or null if there was none.
 */
export async function rotateCallbackSecret(
  client: pg.PoolClient,
  accountId: string,
  secret: string,
  previousExpiresAt: Date,
): Promise<Date | null> {
  const values = [accountId, secret, previousExpiresAt.toISOString()];
  const { rows } = await client.query<{ expiresAt: Date | null }>({ ...ROTATE, values });
  return rows[0]?.expiresAt ?? null;
}
