import type pg from 'pg';
import type { CarrierCopy } from '../../carriers/media/carrier-media.js';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

const LEASE = "now() + interval '60 seconds'";

const FIND: PlannedStatement = {
  text: `SELECT carrier_media_id AS id FROM media_uploads
         WHERE media_id = $1 AND place = $2 AND carrier_media_id IS NOT NULL AND expires_at > $3`,
};

/** A carrier's id of a file that it still holds; null where there is none. */
export async function findCopy(pool: pg.Pool, mediaId: string, place: string, now: Date): Promise<string | null> {
  const { rows } = await pool.query<{ id: string }>({ ...FIND, values: [mediaId, place, now.toISOString()] });
  return rows[0]?.id ?? null;
}

const CLAIM: PlannedStatement = {
  text: `INSERT INTO media_uploads AS u (media_id, place, leased_until, claim)
         SELECT id, $2, ${LEASE}, $4::uuid FROM media WHERE id = $1
         ON CONFLICT (media_id, place) DO UPDATE SET leased_until = ${LEASE}, claim = $4, carrier_media_id = NULL
         WHERE (u.leased_until IS NULL OR u.leased_until < now()) AND (u.carrier_media_id IS NULL OR u.expires_at <= $3)`,
};

/**
 * @param claim a new id, by which the copy is renewed or released
 * @returns false while another process hands the file over, and where it has done so just now
 */
export async function claimCopy(
  pool: pg.Pool,
  mediaId: string,
  place: string,
  { claim, now }: { claim: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await pool.query({ ...CLAIM, values: [mediaId, place, now.toISOString(), claim] });
  return rowCount === 1;
}

const RENEW: PlannedStatement = {
  text: `UPDATE media_uploads SET leased_until = ${LEASE} WHERE media_id = $1 AND place = $2 AND claim = $3
           AND leased_until IS NOT NULL`,
};

export async function renewCopy(pool: pg.Pool, mediaId: string, place: string, claim: string): Promise<void> {
  await pool.query({ ...RENEW, values: [mediaId, place, claim] });
}

const NOTE: PlannedStatement = {
  text: `UPDATE media_uploads SET carrier_media_id = $3, expires_at = $4, leased_until = NULL
         WHERE media_id = $1 AND place = $2`,
};

/** Notes what the carrier calls its copy. */
export async function noteCopy(
  pool: pg.Pool,
  mediaId: string,
  place: string,
  { carrierMediaId, expiresAt }: CarrierCopy,
): Promise<void> {
  await pool.query({ ...NOTE, values: [mediaId, place, carrierMediaId, expiresAt.toISOString()] });
}

const FORGET: PlannedStatement = {
  text: 'DELETE FROM media_uploads WHERE media_id = $1 AND place = $2 AND carrier_media_id = $3',
};

export async function forgetCopy(pool: pg.Pool, mediaId: string, place: string, carrierMediaId: string): Promise<void> {
  await pool.query({ ...FORGET, values: [mediaId, place, carrierMediaId] });
}

const RELEASE: PlannedStatement = {
  text: 'DELETE FROM media_uploads WHERE media_id = $1 AND place = $2 AND claim = $3 AND carrier_media_id IS NULL',
};

/** Gives up a copy that was claimed and not handed over; not where another one has claimed it since. */
export async function releaseCopy(pool: pg.Pool, mediaId: string, place: string, claim: string): Promise<void> {
  await pool.query({ ...RELEASE, values: [mediaId, place, claim] });
}
