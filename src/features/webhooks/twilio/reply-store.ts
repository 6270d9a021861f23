import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

const RECORD_REPLIES: PlannedStatement = {
  text: 'UPDATE webhook_deliveries SET replies_sent = greatest(replies_sent, $2) WHERE id = $1',
};

/** Call this function in the transaction that accepts the last of the replies. */
export async function recordReplies(client: pg.PoolClient, deliveryId: string, sent: number): Promise<void> {
  await client.query({ ...RECORD_REPLIES, values: [deliveryId, sent] });
}
