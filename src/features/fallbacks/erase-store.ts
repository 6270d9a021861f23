import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** Clears `next_look`, because a fallback that is due would still be sent. */
const ERASE: PlannedStatement = {
  text: 'UPDATE fallbacks SET error_message = NULL, next_look = NULL WHERE message_id = ANY($1::uuid[])',
};

export async function eraseFallbacks(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...ERASE, values: [messageIds] });
}
