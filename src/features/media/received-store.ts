import type pg from 'pg';
import type { ChannelSettings } from '../../carriers/channel-settings.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { LEASE_SECONDS, type MediaRow } from './media-store.js';

const INSERT: PlannedStatement = {
  text: `INSERT INTO media (id, account_id, channel_id, origin, status, message_id, carrier_media_id, mime_type, sha256,
           filename, next_look, created_at)
         VALUES ($1, $2, $3, 'received', 'remote', $4, $5, $6, $7, $8, $9, $10)`,
};

export interface ReceivedMedia {
  id: string;
  accountId: string;
  channelId: string;
  messageId: string;
  carrierMediaId: string;
  mimeType: string;
  /** Hash in base64, or null if the carrier provides none. */
  sha256: string | null;
  filename: string | null;
  /** Business time of the automatic download, or null if the file is downloaded only on request. */
  nextLook: Date | null;
  createdAt: Date;
}

export async function insertReceived(client: pg.PoolClient, media: ReceivedMedia): Promise<void> {
  const { id, accountId, channelId, messageId, carrierMediaId, mimeType, sha256, filename } = media;
  const times = [media.nextLook?.toISOString() ?? null, media.createdAt.toISOString()];
  const values = [id, accountId, channelId, messageId, carrierMediaId, mimeType, sha256, filename, ...times];
  await client.query({ ...INSERT, values });
}

/** Also claims a file whose previous claim has expired because its process was killed. */
const CLAIM: PlannedStatement = {
  text: `UPDATE media SET status = 'writing', claim = $2, leased_until = now() + ${LEASE_SECONDS} * interval '1 second'
         WHERE id = $1 AND origin = 'received'
           AND (status = 'remote' OR (status = 'writing' AND leased_until < now()))`,
};

/** Returns false if another process is downloading the file, or if the file is already stored or deleted. */
export async function claimReceived(pool: pg.Pool, id: string, claim: string): Promise<boolean> {
  const { rowCount } = await pool.query({ ...CLAIM, values: [id, claim] });
  return rowCount === 1;
}

const RELEASE: PlannedStatement = {
  text: `UPDATE media SET status = 'remote', leased_until = NULL
         WHERE id = $1 AND status = 'writing' AND claim = $2`,
};

/** Has no effect once another process has claimed the file. */
export async function releaseReceived(pool: pg.Pool, id: string, claim: string): Promise<void> {
  await pool.query({ ...RELEASE, values: [id, claim] });
}

export interface DueMedia extends Pick<MediaRow, 'id' | 'carrierMediaId' | 'createdAt'> {
  channel: {
    id: string;
    accountId: string;
    kind: ChannelKind;
    phoneNumber: string;
    carrier: string;
    carrierSettings: ChannelSettings | null;
  } | null;
}

const CLAIM_DUE: PlannedStatement = {
  text: `
WITH due AS (
  SELECT id FROM media WHERE next_look <= $1 ORDER BY next_look LIMIT $3 FOR UPDATE SKIP LOCKED
), claimed AS (
  UPDATE media m SET next_look = CASE WHEN m.created_at > $4 AND c.id IS NOT NULL THEN $2::timestamptz END
  FROM due LEFT JOIN media d ON d.id = due.id LEFT JOIN channels c ON c.id = d.channel_id AND c.deleted_at IS NULL
  WHERE m.id = due.id
  RETURNING m.id, m.carrier_media_id, c.id AS channel_id, m.created_at
)
SELECT t.id, t.carrier_media_id AS "carrierMediaId", t.created_at AS "createdAt",
       CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'accountId', c.account_id, 'kind', c.kind, 'phoneNumber', c.phone_number,
                         'carrier', c.carrier, 'carrierSettings', c.carrier_settings) END AS channel
FROM claimed t LEFT JOIN channels c ON c.id = t.channel_id`,
};

/**
 * Files that are not stored by `retryAt` are downloaded again at that time. Files received before `oldest` are not
 * retried.
 */
export async function claimDue(
  pool: pg.Pool,
  { now, retryAt, oldest, step }: { now: Date; retryAt: Date; oldest: Date; step: number },
): Promise<DueMedia[]> {
  const values = [now.toISOString(), retryAt.toISOString(), step, oldest.toISOString()];
  const { rows } = await pool.query<DueMedia>({ ...CLAIM_DUE, values });
  return rows;
}

const STOP: PlannedStatement = { text: 'UPDATE media SET next_look = NULL WHERE id = $1' };

/** Stops automatic downloads of the file, which can still be downloaded on request. */
export async function stopRetrying(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ ...STOP, values: [id] });
}
