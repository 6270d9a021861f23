import type pg from 'pg';
import type { CarrierCopy } from '../../carriers/media/carrier-media.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

const LEASE = "now() + interval '60 seconds'";

const FIND: PlannedStatement = {
  text: `SELECT carrier_media_id AS id FROM media_uploads
         WHERE media_id = $1 AND place = $2 AND carrier_media_id IS NOT NULL AND expires_at > $3`,
};

export async function findCopy(pool: pg.Pool, mediaId: string, location: string, now: Date): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>({ ...FIND, values: [mediaId, location, now.toISOString()] });
  return rows[0]?.id ?? null;
}

const CLAIM: PlannedStatement = {
  text: `INSERT INTO media_uploads AS u (media_id, place, leased_until, claim)
         SELECT id, $2, ${LEASE}, $4::uuid FROM media WHERE id = $1
         ON CONFLICT (media_id, place) DO UPDATE SET leased_until = ${LEASE}, claim = $4, carrier_media_id = NULL
         WHERE (u.leased_until IS NULL OR u.leased_until < now()) AND (u.carrier_media_id IS NULL OR u.expires_at <= $3)`,
};

/**
 * Claims the copy under the new ID `claim`, by which the claim is later renewed or released. Returns false if another
 * process is uploading the copy or has just uploaded it.
 */
export async function claimCopy(
  pool: pg.Pool,
  mediaId: string,
  location: string,
  { claim, now }: { claim: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...CLAIM, values: [mediaId, location, now.toISOString(), claim] });
  return rowCount === 1;
}

const RENEW: PlannedStatement = {
  text: `UPDATE media_uploads SET leased_until = ${LEASE} WHERE media_id = $1 AND place = $2 AND claim = $3
           AND leased_until IS NOT NULL`,
};

export async function renewCopy(pool: pg.Pool, mediaId: string, location: string, claim: string): Promise<void> {
  await pool.query({ ...RENEW, values: [mediaId, location, claim] });
}

const RECORD: PlannedStatement = {
  text: `UPDATE media_uploads SET carrier_media_id = $3, expires_at = $4, leased_until = NULL
         WHERE media_id = $1 AND place = $2`,
};

export async function recordCopy(
  pool: pg.Pool,
  mediaId: string,
  location: string,
  { carrierMediaId, expiresAt }: CarrierCopy,
): Promise<void> {
  await pool.query({ ...RECORD, values: [mediaId, location, carrierMediaId, expiresAt.toISOString()] });
}

const DELETE: PlannedStatement = {
  text: 'DELETE FROM media_uploads WHERE media_id = $1 AND place = $2 AND carrier_media_id = $3',
};

export async function deleteCopy(
  pool: pg.Pool,
  mediaId: string,
  location: string,
  carrierMediaId: string,
): Promise<void> {
  await pool.query({ ...DELETE, values: [mediaId, location, carrierMediaId] });
}

const RELEASE: PlannedStatement = {
  text: 'DELETE FROM media_uploads WHERE media_id = $1 AND place = $2 AND claim = $3 AND carrier_media_id IS NULL',
};

/** Has no effect once another process has claimed the copy. */
export async function releaseCopy(pool: pg.Pool, mediaId: string, location: string, claim: string): Promise<void> {
  await pool.query({ ...RELEASE, values: [mediaId, location, claim] });
}
