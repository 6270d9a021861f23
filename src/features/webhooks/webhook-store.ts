import type pg from 'pg';
import type { WebhookFormat } from '../../platform/generated/prisma/client.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';

/** A webhook of a channel, or of the whole account if `channelId` is null. */
export interface WebhookKey {
  id: string;
  accountId: string;
  channelId: string | null;
}

interface NewWebhook {
  url: string;
  events: readonly string[];
  secret: string;
  format: WebhookFormat;
  verifyToken: string | null;
  /** API key that set the URL; null if an operator set the URL. */
  keyId: string | null;
}

/** Without this lock, concurrent inserts could exceed the limit of webhooks. */
const LOCK_OWNER: PlannedStatement = {
  text: `SELECT pg_advisory_xact_lock(hashtextextended('webhooks ' || $1, 0))`,
};

const INSERT: PlannedStatement = {
  text: `INSERT INTO webhooks (id, account_id, channel_id, url, events, secret, format, verify_token, key_id)
         SELECT $1, $2, $3, $4, $5, $6, $8::webhook_format, $9, $10::uuid
         WHERE (SELECT count(*) FROM webhooks WHERE account_id = $2 AND channel_id IS NOT DISTINCT FROM $3
                AND NOT is_callback) < $7`,
};

export async function insertWebhook(
  client: pg.PoolClient,
  { id, accountId, channelId }: WebhookKey,
  { url, events, secret, format, verifyToken, keyId }: NewWebhook,
  max: number,
): Promise<boolean> {
  await client.query({ ...LOCK_OWNER, values: [channelId ?? accountId] });
  const { rowCount } = await client.query({
    ...INSERT,
    values: [id, accountId, channelId, url, events, secret, max, format, verifyToken, keyId],
  });
  return rowCount === 1;
}

const FIND_META: PlannedStatement = {
  text: `SELECT id FROM webhooks WHERE account_id = $1 AND channel_id = $2 AND url = $3 AND format = 'meta' AND NOT is_callback
         ORDER BY id LIMIT 1`,
};

/** Prevents concurrent inserts for the channel until the caller's transaction ends. */
export async function findMetaWebhook(
  client: pg.PoolClient,
  { accountId, channelId }: { accountId: string; channelId: string },
  url: string,
): Promise<string | null> {
  await client.query({ ...LOCK_OWNER, values: [channelId] });
  const { rows } = await client.query<{ id: string }>({ ...FIND_META, values: [accountId, channelId, url] });
  return rows[0]?.id ?? null;
}

const LOCK: PlannedStatement = { text: 'SELECT 1 FROM webhooks WHERE id = $1 FOR UPDATE' };

export async function lockWebhook(connection: Connection, id: string): Promise<void> {
  await connection.query({ ...LOCK, values: [id] });
}

/** Null keeps a column. A new URL belongs to the API key that set it. */
const UPDATE: PlannedStatement = {
  text: `
UPDATE webhooks SET
  url = coalesce($4, url),
  events = coalesce($5, events),
  is_active = coalesce($6, is_active),
  verify_token = coalesce($7, verify_token),
  key_id = CASE WHEN $4 <> url THEN $8::uuid ELSE key_id END,
  disabled_reason = CASE WHEN $6 THEN NULL ELSE disabled_reason END,
  failing_since = CASE WHEN $6 AND NOT is_active OR $4 <> url THEN NULL ELSE failing_since END,
  updated_at = now()
WHERE id = $1 AND account_id = $2 AND channel_id IS NOT DISTINCT FROM $3 AND NOT is_callback`,
};

export async function updateWebhook(
  pool: Connection,
  { id, accountId, channelId }: WebhookKey,
  {
    url = null,
    events = null,
    isActive = null,
    verifyToken = null,
    keyId = null,
  }: {
    url?: string | null | undefined;
    events?: readonly string[] | null | undefined;
    isActive?: boolean | null | undefined;
    verifyToken?: string | null | undefined;
    /** API key that makes the change; null for an operator. */
    keyId?: string | null;
  },
): Promise<void> {
  await pool.query({ ...UPDATE, values: [id, accountId, channelId, url, events, isActive, verifyToken, keyId] });
}

const ROTATE: PlannedStatement = {
  text: `UPDATE webhooks SET secret = $5, updated_at = now(),
           previous_secret = CASE WHEN format = 'standard' THEN secret END,
           previous_secret_expires_at = CASE WHEN format = 'standard' THEN $4::timestamptz END
         WHERE id = $1 AND account_id = $2 AND channel_id IS NOT DISTINCT FROM $3 AND NOT is_callback`,
};

/** In the standard format, the previous secret is also used for signatures until it expires, in business time. */
export async function rotateSecret(
  pool: Connection,
  { id, accountId, channelId }: WebhookKey,
  secret: string,
  previousExpiresAt: Date,
): Promise<void> {
  await pool.query({ ...ROTATE, values: [id, accountId, channelId, previousExpiresAt.toISOString(), secret] });
}
