import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { toStorable } from '../../platform/store/storable.js';
import type { CarrierChannel, ChannelPause } from '../carrier.js';

const FIND: Statement = {
  name: 'channels-of-carrier',
  text: `SELECT id, account_id AS "accountId", kind, phone_number AS "phoneNumber",
                carrier_settings AS "carrierSettings", health_status AS "healthStatus" FROM channels
         WHERE carrier = $1 AND deleted_at IS NULL ORDER BY id`,
};

/** Includes disabled channels. */
export async function findCarrierChannels(pool: pg.Pool, carrier: string): Promise<CarrierChannel[]> {
  const { rows } = await pool.query<CarrierChannel>({ ...FIND, values: [carrier] });
  return rows;
}

const SET_HEALTH: Statement = {
  name: 'channels-set-health',
  text: 'UPDATE channels SET health_status = $2 WHERE id = $1 AND health_status <> $2 AND paused_at IS NULL',
};

/** Skips paused channels. */
export async function setChannelHealth(pool: pg.Pool, channelId: string, status: string): Promise<boolean> {
  const { rowCount } = await pool.query({ ...SET_HEALTH, values: [channelId, status] });
  return rowCount !== 0;
}

const PAUSE: Statement = {
  name: 'channels-pause',
  text: `UPDATE channels SET paused_at = now(), health_status = $2, pause_code = $3, pause_reason = $4
         WHERE id = $1 AND paused_at IS NULL AND deleted_at IS NULL AND (resumed_at IS NULL OR resumed_at < $5)`,
};

export async function pauseChannel(pool: pg.Pool, channelId: string, pause: ChannelPause): Promise<boolean> {
  const { health, code, reason, at } = pause;
  const values = [channelId, health, toStorable(code), toStorable(reason), at.toISOString()];
  const { rowCount } = await pool.query({ ...PAUSE, values });
  return rowCount !== 0;
}

const FIND_UNPAUSED: Statement = {
  name: 'channels-find-unpaused',
  text: 'SELECT id FROM channels WHERE id = ANY($1::uuid[]) AND paused_at IS NULL',
};

export async function findUnpaused(pool: pg.Pool, channelIds: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...FIND_UNPAUSED, values: [channelIds] });
  return rows.map(({ id }) => id);
}
