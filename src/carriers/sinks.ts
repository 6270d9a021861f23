import type pg from 'pg';
import type { Statement } from '../database/pool.js';
import type { Deps } from '../deps.js';
import type { CarrierSinks } from './carrier.js';
import { receiveSms } from './inbound-sms.js';

const SET_HEALTH: Statement = {
  name: 'channels-set-health',
  text: 'UPDATE channels SET health_status = $2 WHERE id = $1 AND health_status <> $2',
};

/** Where the carriers of a process that works hand over what comes to them. */
export function carrierSinks(deps: Pick<Deps, 'pool' | 'clock' | 'log' | 'receipts'>): CarrierSinks {
  return {
    receipts: (batch) => deps.receipts.take(batch),
    inbound: (messages) => receiveSms(deps, messages),
    health: (channelId, status) => setHealth(deps.pool, channelId, status),
  };
}

async function setHealth(pool: pg.Pool, channelId: string, status: string): Promise<void> {
  await pool.query({ ...SET_HEALTH, values: [channelId, status] });
}
