import type pg from 'pg';
import { inTransaction, type Statement } from '../../platform/store/connections/pool.js';
import { toStorableJson } from '../../platform/store/storable.js';
import { applyStatusChange, type ChannelStatusChange, parseChannelStatus } from '../channel-status.js';

const LOCK: Statement = {
  name: 'channels-lock-standing',
  text: 'SELECT standing FROM channels WHERE id = $1 FOR NO KEY UPDATE',
};

const SET: Statement = { name: 'channels-set-standing', text: 'UPDATE channels SET standing = $2 WHERE id = $1' };

/** @returns whether anything changed */
export async function updateChannelStatus(
  pool: pg.Pool,
  channelId: string,
  change: ChannelStatusChange,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ standing: unknown }>({ ...LOCK, values: [channelId] });
    if (!rows[0]) return false;
    const current = parseChannelStatus(rows[0].standing);
    const updated = JSON.stringify(toStorableJson(applyStatusChange(current, change)));
    if (updated === JSON.stringify(applyStatusChange(current, { at: new Date(0) }))) return false;
    await client.query({ ...SET, values: [channelId, updated] });
    return true;
  });
}
