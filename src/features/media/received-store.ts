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

/** A file of a message from a contact, which its carrier still has. */
export interface ReceivedMedia {
  id: string;
  accountId: string;
  channelId: string;
  messageId: string;
  carrierMediaId: string;
  mimeType: string;
  /** In base64; null where the carrier does not say. */
  sha256: string | null;
  filename: string | null;
  /** Business time at which it is fetched without being asked for; null: not. */
  nextLook: Date | null;
  createdAt: Date;
}

/** Notes a file in the transaction that stores its message. */
export async function insertReceived(client: pg.PoolClient, media: ReceivedMedia): Promise<void> {
  const { id, accountId, channelId, messageId, carrierMediaId, mimeType, sha256, filename } = media;
  const times = [media.nextLook?.toISOString() ?? null, media.createdAt.toISOString()];
  const values = [id, accountId, channelId, messageId, carrierMediaId, mimeType, sha256, filename, ...times];
  await client.query({ ...INSERT, values });
}

/** Whoever was killed while fetching it has lost it once its lease is over. */
const CLAIM: PlannedStatement = {
  text: `UPDATE media SET status = 'writing', claim = $2, leased_until = now() + ${LEASE_SECONDS} * interval '1 second'
         WHERE id = $1 AND origin = 'received'
           AND (status = 'remote' OR (status = 'writing' AND leased_until < now()))`,
};

/**
 * @param claim a new id, by which the file is renewed, kept or released
 * @returns false while another process fetches it, and where it is kept by now or was deleted
 */
export async function claimReceived(pool: pg.Pool, id: string, claim: string): Promise<boolean> {
  const { rowCount } = await pool.query({ ...CLAIM, values: [id, claim] });
  return rowCount === 1;
}

const RELEASE: PlannedStatement = {
  text: `UPDATE media SET status = 'remote', leased_until = NULL
         WHERE id = $1 AND status = 'writing' AND claim = $2`,
};

/** Gives a file back that could not be fetched, for the next one who asks; not where another one has claimed it since. */
export async function releaseReceived(pool: pg.Pool, id: string, claim: string): Promise<void> {
  await pool.query({ ...RELEASE, values: [id, claim] });
}

/** A file that is to be fetched, and the channel by whose carrier. */
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

/** Each is looked at again after a while, whatever becomes of this look; those of deleted channels never are. */
const TAKE_DUE: PlannedStatement = {
  text: `
WITH due AS (
  SELECT id FROM media WHERE next_look <= $1 ORDER BY next_look LIMIT $3 FOR UPDATE SKIP LOCKED
), taken AS (
  UPDATE media m SET next_look = CASE WHEN m.created_at > $4 AND c.id IS NOT NULL THEN $2::timestamptz END
  FROM due LEFT JOIN media d ON d.id = due.id LEFT JOIN channels c ON c.id = d.channel_id AND c.deleted_at IS NULL
  WHERE m.id = due.id
  RETURNING m.id, m.carrier_media_id, c.id AS channel_id, m.created_at
)
SELECT t.id, t.carrier_media_id AS "carrierMediaId", t.created_at AS "createdAt",
       CASE WHEN c.id IS NOT NULL THEN json_build_object('id', c.id, 'accountId', c.account_id, 'kind', c.kind, 'phoneNumber', c.phone_number,
                         'carrier', c.carrier, 'carrierSettings', c.carrier_settings) END AS channel
FROM taken t LEFT JOIN channels c ON c.id = t.channel_id`,
};

/**
 * Takes files that are due: with their channel, and without one that was deleted.
 * @param again when each is due once more, should it not be kept by then
 * @param givenUp those that came before are not looked at again
 */
export async function takeDue(
  pool: pg.Pool,
  { now, again, givenUp, step }: { now: Date; again: Date; givenUp: Date; step: number },
): Promise<DueMedia[]> {
  const values = [now.toISOString(), again.toISOString(), step, givenUp.toISOString()];
  const { rows } = await pool.query<DueMedia>({ ...TAKE_DUE, values });
  return rows;
}

const NOT_DUE: PlannedStatement = { text: 'UPDATE media SET next_look = NULL WHERE id = $1' };

/** Leaves a file alone until it is asked for. */
export async function leaveAlone(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ ...NOT_DUE, values: [id] });
}
