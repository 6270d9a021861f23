import type pg from 'pg';
import type { Statement } from '../../platform/store/pool.js';
import type { CarrierChannel } from '../carrier.js';

const FIND: Statement = {
  name: 'channels-of-carrier',
  text: `SELECT id, account_id AS "accountId", kind, phone_number AS "phoneNumber",
                carrier_settings AS "carrierSettings", health_status AS "healthStatus" FROM channels
         WHERE carrier = $1 ORDER BY id`,
};

/** The channels that name a carrier, switched off or not, the oldest first. */
export async function findChannelsOf(pool: pg.Pool, carrier: string): Promise<CarrierChannel[]> {
  const { rows } = await pool.query<CarrierChannel>({ ...FIND, values: [carrier] });
  return rows;
}

const SET_HEALTH: Statement = {
  name: 'channels-set-health',
  text: 'UPDATE channels SET health_status = $2 WHERE id = $1 AND health_status <> $2',
};

/** @returns whether it was another one before */
export async function setChannelHealth(pool: pg.Pool, channelId: string, status: string): Promise<boolean> {
  const { rowCount } = await pool.query({ ...SET_HEALTH, values: [channelId, status] });
  return rowCount !== 0;
}
