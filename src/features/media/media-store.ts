import type pg from 'pg';
import type { MediaOrigin, MediaStatus } from '../../platform/generated/prisma/client.js';
import { inTransaction, type PlannedStatement } from '../../platform/store/connections/pool.js';
import { retryTransaction } from '../../platform/store/repeat.js';

export interface MediaOwner {
  accountId: string;
  channelId: string;
}

export interface MediaRow {
  id: string;
  origin: MediaOrigin;
  status: MediaStatus;
  /** Set for received files. */
  messageId: string | null;
  carrierMediaId: string | null;
  /** MIME type, which is detected from the content when the file is stored. */
  mimeType: string;
  /** Size in bytes, or null until the file is stored. */
  size: number | null;
  /** In base64. */
  sha256: string | null;
  filename: string | null;
  createdAt: Date;
}

/** By PostgreSQL's clock. A process that writes a file's bytes renews its lease. */
export const LEASE_SECONDS = 60;
const LEASE = `now() + ${LEASE_SECONDS} * interval '1 second'`;

const FIELDS = `id, origin, status, message_id AS "messageId", carrier_media_id AS "carrierMediaId",
  mime_type AS "mimeType", size::float8 AS size, sha256, filename, created_at AS "createdAt"`;

/** An upload is visible only once it is complete. */
const VISIBLE = "status <> 'removed' AND NOT (status = 'writing' AND origin = 'uploaded')";

const INSERT_UPLOAD: PlannedStatement = {
  text: `INSERT INTO media (id, account_id, channel_id, origin, status, mime_type, filename, leased_until, created_at)
         VALUES ($1, $2, $3, 'uploaded', 'writing', '', $4, ${LEASE}, $5)`,
};

/** Must be called before the bytes arrive, so that a sweep finds a file that a killed process left behind. */
export async function insertUpload(
  pool: pg.Pool,
  { accountId, channelId }: MediaOwner,
  { id, filename, createdAt }: Pick<MediaRow, 'id' | 'filename' | 'createdAt'>,
): Promise<void> {
  await pool.query({ ...INSERT_UPLOAD, values: [id, accountId, channelId, filename, createdAt.toISOString()] });
}

const RENEW: PlannedStatement = {
  text: `UPDATE media SET leased_until = ${LEASE} WHERE id = $1 AND status = 'writing' AND claim IS NOT DISTINCT FROM $2`,
};

/**
 * Renews the lease of a received file, or of an upload if `claim` is null. Returns false if the file was deleted, given
 * up, or claimed by another process.
 */
export async function renewLease(pool: pg.Pool, id: string, claim: string | null): Promise<boolean> {
  const { rowCount } = await pool.query({ ...RENEW, values: [id, claim] });
  return rowCount === 1;
}

const SUM_BYTES: PlannedStatement = {
  text: 'SELECT coalesce(sum(size), 0)::float8 AS bytes FROM media WHERE account_id = $1 AND size IS NOT NULL',
};

export async function sumBytes(connection: pg.Pool | pg.PoolClient, accountId: string): Promise<number> {
  const { rows } = await connection.query<{ bytes: number }>({ ...SUM_BYTES, values: [accountId] });
  return rows[0]?.bytes ?? 0;
}

const LOCK_ACCOUNT = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

const KEEP: PlannedStatement = {
  text: `UPDATE media SET status = 'kept', mime_type = $2, size = $3, sha256 = $4, idempotency_key = $5,
           leased_until = NULL, next_look = NULL
         WHERE id = $1 AND status = 'writing' AND claim IS NOT DISTINCT FROM $6 RETURNING ${FIELDS}`,
};

const FIND_EARLIER: PlannedStatement = {
  text: `SELECT ${FIELDS} FROM media WHERE channel_id = $1 AND idempotency_key = $2 AND created_at >= $3 AND ${VISIBLE}`,
};

const FORGET_KEY: PlannedStatement = {
  text: 'UPDATE media SET idempotency_key = NULL WHERE channel_id = $1 AND idempotency_key = $2',
};

export type CompleteFile = Required<Pick<MediaRow, 'id' | 'mimeType'>> & {
  size: number;
  sha256: string;
  /** Null for an upload. */
  claim: string | null;
};

export type KeepResult =
  | { outcome: 'kept'; row: MediaRow }
  | { outcome: 'repeated'; row: MediaRow }
  | { outcome: 'full' }
  | { outcome: 'gone' };

/**
 * Calls for the same account run one after the other, so that every file counts towards the account's limit. The
 * idempotency key `key` is valid from `keySince` on.
 */
export function keepMedia(
  pool: pg.Pool,
  { accountId, channelId }: MediaOwner,
  { id, mimeType, size, sha256, claim }: CompleteFile,
  { accountBytes, key, keySince }: { accountBytes: number; key: string | null; keySince: Date },
): Promise<KeepResult> {
  const work = async (client: pg.PoolClient): Promise<KeepResult> => {
    await client.query(LOCK_ACCOUNT, [`heliograph media ${accountId}`]);
    if (key !== null) {
      const values = [channelId, key, keySince.toISOString()];
      const { rows } = await client.query<MediaRow>({ ...FIND_EARLIER, values });
      if (rows[0]) return { outcome: 'repeated', row: rows[0] };
      await client.query({ ...FORGET_KEY, values: [channelId, key] });
    }
    if (accountBytes > 0 && (await sumBytes(client, accountId)) + size > accountBytes) return { outcome: 'full' };
    const values = [id, mimeType, size, sha256, key, claim];
    const { rows } = await client.query<MediaRow>({ ...KEEP, values });
    return rows[0] ? { outcome: 'kept', row: rows[0] } : { outcome: 'gone' };
  };
  return retryTransaction(() => inTransaction(pool, work));
}

const FIND: PlannedStatement = {
  text: `SELECT ${FIELDS} FROM media WHERE id = $3 AND account_id = $1 AND channel_id = $2 AND ${VISIBLE}`,
};

export async function findMedia(
  { pool }: { pool: pg.Pool },
  { accountId, channelId }: MediaOwner,
  id: string,
): Promise<MediaRow | null> {
  const { rows } = await pool.query<MediaRow>({ ...FIND, values: [accountId, channelId, id] });
  return rows[0] ?? null;
}

const FIND_RECEIVED: PlannedStatement = {
  text: `SELECT ${FIELDS}, channel_id AS "channelId" FROM media
         WHERE account_id = $1 AND message_id = $2 AND ${VISIBLE} ORDER BY id`,
};

export async function findReceivedMedia(
  pool: pg.Pool,
  accountId: string,
  messageId: string,
): Promise<(MediaRow & { channelId: string })[]> {
  const values = [accountId, messageId];
  return (await pool.query<MediaRow & { channelId: string }>({ ...FIND_RECEIVED, values })).rows;
}

const FIND_STORED: PlannedStatement = {
  text: `SELECT ${FIELDS} FROM media WHERE id = ANY($2::uuid[]) AND channel_id = $1 AND status = 'kept'`,
};

export async function findStoredMedia(pool: pg.Pool, channelId: string, ids: readonly string[]): Promise<MediaRow[]> {
  const { rows } = await pool.query<MediaRow>({ ...FIND_STORED, values: [channelId, ids] });
  return rows;
}

const LIST: PlannedStatement = {
  text: `SELECT ${FIELDS} FROM media WHERE account_id = $1 AND channel_id = $2 AND ${VISIBLE}
         ORDER BY id DESC LIMIT $3 OFFSET $4`,
};
const COUNT: PlannedStatement = {
  text: `SELECT count(*)::int AS total FROM media WHERE account_id = $1 AND channel_id = $2 AND ${VISIBLE}`,
};

/** Newest first. */
export async function listMedia(
  { pool }: { pool: pg.Pool },
  { accountId, channelId }: MediaOwner,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ media: MediaRow[]; total: number }> {
  const [page, count] = await Promise.all([
    pool.query<MediaRow>({ ...LIST, values: [accountId, channelId, limit, offset] }),
    pool.query<{ total: number }>({ ...COUNT, values: [accountId, channelId] }),
  ]);
  return { media: page.rows, total: count.rows[0]?.total ?? 0 };
}

const REMOVED_FIELDS = `status = 'removed', filename = NULL, carrier_media_id = NULL, sha256 = NULL, size = NULL,
  idempotency_key = NULL, next_look = NULL`;

const REMOVE: PlannedStatement = {
  text: `UPDATE media SET ${REMOVED_FIELDS} WHERE id = $3 AND account_id = $1 AND channel_id = $2 AND ${VISIBLE}`,
};

/** Marks a file whose bytes are removed later, and returns whether the file existed. */
export async function markRemoved(pool: pg.Pool, { accountId, channelId }: MediaOwner, id: string): Promise<boolean> {
  const { rowCount } = await pool.query({ ...REMOVE, values: [accountId, channelId, id] });
  return rowCount === 1;
}

const GIVE_UP: PlannedStatement = {
  text: `UPDATE media SET ${REMOVED_FIELDS}, leased_until = NULL WHERE id = $1 AND status = 'writing'`,
};

export async function giveUp(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ ...GIVE_UP, values: [id] });
}

const REMOVE_MESSAGE_MEDIA: PlannedStatement = {
  text: `UPDATE media SET ${REMOVED_FIELDS} WHERE message_id = ANY($1::uuid[]) AND status <> 'removed'`,
};

export async function removeMessageMedia(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...REMOVE_MESSAGE_MEDIA, values: [messageIds] });
}

const REMOVE_CONTACT_MEDIA: PlannedStatement = {
  text: `UPDATE media SET ${REMOVED_FIELDS} WHERE status <> 'removed' AND message_id IN (
           SELECT i.id FROM inbound_messages i JOIN conversations v ON v.id = i.conversation_id
           WHERE v.contact_id = $1)`,
};

export async function removeContactMedia(client: pg.PoolClient, contactId: string): Promise<void> {
  await client.query({ ...REMOVE_CONTACT_MEDIA, values: [contactId] });
}
