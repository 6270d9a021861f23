import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** One that is due would be sent. */
const FORGET: PlannedStatement = {
  text: 'UPDATE fallbacks SET error_message = NULL, next_look = NULL WHERE message_id = ANY($1::uuid[])',
};

/** Ends the fallbacks of messages, and erases why they failed, for that may name the number. */
export async function forgetFallbacks(client: pg.PoolClient, messageIds: readonly string[]): Promise<void> {
  await client.query({ ...FORGET, values: [messageIds] });
}
