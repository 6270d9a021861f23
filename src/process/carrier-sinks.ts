import type pg from 'pg';
import { type CarrierChannel, type CarrierSinks, HEALTHY } from '../carriers/carrier.js';
import { receiveSms } from '../features/inbound/receive-sms.js';
import type { Statement } from '../platform/store/pool.js';
import type { Deps } from './deps.js';

const SET_HEALTH: Statement = {
  name: 'channels-set-health',
  text: 'UPDATE channels SET health_status = $2 WHERE id = $1 AND health_status <> $2',
};

const FIND_CHANNELS: Statement = {
  name: 'channels-of-carrier',
  text: `SELECT id, carrier_settings AS "carrierSettings", health_status AS "healthStatus" FROM channels
         WHERE carrier = $1 ORDER BY id`,
};

/** Messages that one statement wakes at the most. */
const WAKE_MESSAGES = 5_000;

/** Makes messages of a channel due that wait because the carrier refused to log us in: they need not wait any longer. */
const WAKE: Statement = {
  name: 'channels-wake-messages',
  text: `UPDATE messages SET not_before = NULL, next_look = now(), look_count = 0
         WHERE id = ANY (ARRAY(
           SELECT id FROM messages
           WHERE next_look IS NOT NULL AND channel_id = $1 AND status = 'sending' AND lease_until IS NULL
             AND not_before > now()
           ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED))`,
};

/** Where the carriers of a process that works hand over what comes to them. */
export function carrierSinks(deps: Pick<Deps, 'pool' | 'clock' | 'log' | 'receipts'>): CarrierSinks {
  return {
    receipts: (batch) => deps.receipts.take(batch),
    inbound: (messages) => receiveSms(deps, messages),
    health: (channelId, status) => setHealth(deps.pool, channelId, status),
    channels: (carrier) => findChannels(deps.pool, carrier),
  };
}

async function findChannels(pool: pg.Pool, carrier: string): Promise<CarrierChannel[]> {
  const { rows } = await pool.query<CarrierChannel>({ ...FIND_CHANNELS, values: [carrier] });
  return rows;
}

async function setHealth(pool: pg.Pool, channelId: string, status: string): Promise<void> {
  const { rowCount } = await pool.query({ ...SET_HEALTH, values: [channelId, status] });
  if (status !== HEALTHY || rowCount === 0) return;
  for (;;) {
    const woken = await pool.query({ ...WAKE, values: [channelId, WAKE_MESSAGES] });
    if ((woken.rowCount ?? 0) < WAKE_MESSAGES) return;
  }
}
