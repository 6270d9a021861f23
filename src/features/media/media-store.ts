import type pg from 'pg';
import type { MediaOrigin, MediaStatus } from '../../platform/generated/prisma/client.js';
import { inTransaction, type PlannedStatement } from '../../platform/store/connections/pool.js';
import { repeated } from '../../platform/store/repeat.js';

/** Whose files are looked at. */
export interface MediaOwner {
  accountId: string;
  channelId: string;
}

/** A file as its row tells of it. */
export interface MediaRow {
  id: string;
  origin: MediaOrigin;
  status: MediaStatus;
  /** Of one that was received: the message that brought it. */
  messageId: string | null;
  carrierMediaId: string | null;
  /** As its content says, once it is kept. */
  mimeType: string;
  /** In bytes; null until it is kept. */
  size: number | null;
  /** In base64. */
  sha256: string | null;
  filename: string | null;
  createdAt: Date;
}

/** Seconds for which whoever writes bytes may go on; renewed meanwhile, by PostgreSQL's clock. */
export const LEASE_SECONDS = 60;
const LEASE = `now() + ${LEASE_SECONDS} * interval '1 second'`;

const FIELDS = `id, origin, status, message_id AS "messageId", carrier_media_id AS "carrierMediaId",
  mime_type AS "mimeType", size::float8 AS size, sha256, filename, created_at AS "createdAt"`;

/** What is shown: whoever hands a file in sees it once all of it is there. */
const SHOWN = "status <> 'removed' AND NOT (status = 'writing' AND origin = 'uploaded')";

const INSERT_UPLOAD: PlannedStatement = {
  text: `INSERT INTO media (id, account_id, channel_id, origin, status, mime_type, filename, leased_until, created_at)
         VALUES ($1, $2, $3, 'uploaded', 'writing', '', $4, ${LEASE}, $5)`,
};

/** Notes that bytes are on their way, so that a sweep finds what a killed process leaves of them. */
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
 * @param claim of a received file; null: an upload
 * @returns false where the file was deleted, given up, or claimed by another one meanwhile
 */
export async function renewLease(pool: pg.Pool, id: string, claim: string | null): Promise<boolean> {
  const { rowCount } = await pool.query({ ...RENEW, values: [id, claim] });
  return rowCount === 1;
}

const BYTES_OF_ACCOUNT: PlannedStatement = {
  text: 'SELECT coalesce(sum(size), 0)::float8 AS bytes FROM media WHERE account_id = $1 AND size IS NOT NULL',
};

/** Bytes of all files that are kept of an account. */
export async function bytesOf(connection: pg.Pool | pg.PoolClient, accountId: string): Promise<number> {
  const { rows } = await connection.query<{ bytes: number }>({ ...BYTES_OF_ACCOUNT, values: [accountId] });
  return rows[0]?.bytes ?? 0;
}

const ONE_AT_A_TIME = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';

const KEEP: PlannedStatement = {
  text: `UPDATE media SET status = 'kept', mime_type = $2, size = $3, sha256 = $4, idempotency_key = $5,
           leased_until = NULL, next_look = NULL
         WHERE id = $1 AND status = 'writing' AND claim IS NOT DISTINCT FROM $6 RETURNING ${FIELDS}`,
};

const EARLIER: PlannedStatement = {
  text: `SELECT ${FIELDS} FROM media WHERE channel_id = $1 AND idempotency_key = $2 AND created_at >= $3 AND ${SHOWN}`,
};

const FORGET_KEY: PlannedStatement = {
  text: 'UPDATE media SET idempotency_key = NULL WHERE channel_id = $1 AND idempotency_key = $2',
};

/** What is kept of a file. */
export type Kept = Required<Pick<MediaRow, 'id' | 'mimeType'>> & {
  size: number;
  sha256: string;
  /** By which a received file was claimed; null: an upload. */
  claim: string | null;
};

/** What became of a file whose bytes are all there. */
export type Keeping =
  | { outcome: 'kept'; row: MediaRow }
  /** A request with the same key came before. */
  | { outcome: 'repeated'; row: MediaRow }
  /** The account would keep more than it may. */
  | { outcome: 'full' }
  /** It was deleted, given up, or claimed by another one meanwhile. */
  | { outcome: 'gone' };

/**
 * Makes a file whose bytes are there one that is kept, unless the account has too many. Those of an account one after the
 * other, so that none goes uncounted.
 * @param key counts for a day, from `keySince` on
 */
export function keep(
  pool: pg.Pool,
  { accountId, channelId }: MediaOwner,
  { id, mimeType, size, sha256, claim }: Kept,
  { accountBytes, key, keySince }: { accountBytes: number; key: string | null; keySince: Date },
): Promise<Keeping> {
  const work = async (client: pg.PoolClient): Promise<Keeping> => {
    await client.query(ONE_AT_A_TIME, [`heliograph media ${accountId}`]);
    if (key !== null) {
      const values = [channelId, key, keySince.toISOString()];
      const { rows } = await client.query<MediaRow>({ ...EARLIER, values });
      if (rows[0]) return { outcome: 'repeated', row: rows[0] };
      await client.query({ ...FORGET_KEY, values: [channelId, key] });
    }
    if (accountBytes > 0 && (await bytesOf(client, accountId)) + size > accountBytes) return { outcome: 'full' };
    const values = [id, mimeType, size, sha256, key, claim];
    const { rows } = await client.query<MediaRow>({ ...KEEP, values });
    return rows[0] ? { outcome: 'kept', row: rows[0] } : { outcome: 'gone' };
  };
  return repeated(() => inTransaction(pool, work));
}

const FIND: PlannedStatement = {
  text: `SELECT ${FIELDS} FROM media WHERE id = $3 AND account_id = $1 AND channel_id = $2 AND ${SHOWN}`,
};

/** A file of a channel; null where it has none of this id. */
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
         WHERE account_id = $1 AND message_id = $2 AND ${SHOWN} ORDER BY id`,
};

/** The files that a message of a contact has brought, whatever channel of the account it came to. */
export async function findReceived(
  pool: pg.Pool,
  accountId: string,
  messageId: string,
): Promise<(MediaRow & { channelId: string })[]> {
  const values = [accountId, messageId];
  return (await pool.query<MediaRow & { channelId: string }>({ ...FIND_RECEIVED, values })).rows;
}

const FIND_KEPT: PlannedStatement = {
  text: `SELECT ${FIELDS} FROM media WHERE id = ANY($2::uuid[]) AND channel_id = $1 AND status = 'kept'`,
};

/** Those of the ids that are files which a channel keeps. */
export async function findKept(pool: pg.Pool, channelId: string, ids: readonly string[]): Promise<MediaRow[]> {
  const { rows } = await pool.query<MediaRow>({ ...FIND_KEPT, values: [channelId, ids] });
  return rows;
}

const LIST: PlannedStatement = {
  text: `SELECT ${FIELDS} FROM media WHERE account_id = $1 AND channel_id = $2 AND ${SHOWN}
         ORDER BY id DESC LIMIT $3 OFFSET $4`,
};
const COUNT: PlannedStatement = {
  text: `SELECT count(*)::int AS total FROM media WHERE account_id = $1 AND channel_id = $2 AND ${SHOWN}`,
};

/** A page of a channel's files, the newest first. */
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

/** What a row that is to go says no more. */
const REMOVED = `status = 'removed', filename = NULL, carrier_media_id = NULL, sha256 = NULL, size = NULL,
  idempotency_key = NULL, next_look = NULL`;

const REMOVE: PlannedStatement = {
  text: `UPDATE media SET ${REMOVED} WHERE id = $3 AND account_id = $1 AND channel_id = $2 AND ${SHOWN}`,
};

/** Deletes a file: nobody finds it any more, and its bytes go after that. @returns whether there was one */
export async function markRemoved(pool: pg.Pool, { accountId, channelId }: MediaOwner, id: string): Promise<boolean> {
  const { rowCount } = await pool.query({ ...REMOVE, values: [accountId, channelId, id] });
  return rowCount === 1;
}

const GIVE_UP: PlannedStatement = {
  text: `UPDATE media SET ${REMOVED}, leased_until = NULL WHERE id = $1 AND status = 'writing'`,
};

/** Gives up bytes that are not to be kept. */
export async function giveUp(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ ...GIVE_UP, values: [id] });
}

const REMOVE_OF_MESSAGES: PlannedStatement = {
  text: `UPDATE media SET ${REMOVED} WHERE message_id = ANY($1::uuid[]) AND status <> 'removed'`,
};

/** Deletes the files that came with messages. */
export async function removeMediaOf(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...REMOVE_OF_MESSAGES, values: [messageIds] });
}

const REMOVE_OF_CONTACT: PlannedStatement = {
  text: `UPDATE media SET ${REMOVED} WHERE status <> 'removed' AND message_id IN (
           SELECT i.id FROM inbound_messages i JOIN conversations v ON v.id = i.conversation_id
           WHERE v.contact_id = $1)`,
};

/** Deletes the files that a contact has sent. */
export async function removeMediaOfContact(client: pg.PoolClient, contactId: string): Promise<void> {
  await client.query({ ...REMOVE_OF_CONTACT, values: [contactId] });
}
