import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

const NOTE: PlannedStatement = {
  text: 'UPDATE webhook_deliveries SET replies_sent = greatest(replies_sent, $2) WHERE id = $1',
};

/** Notes how many messages of the answer to a delivery were sent, in the transaction that accepts the last of them. */
export async function noteReplies(client: pg.PoolClient, deliveryId: string, sent: number): Promise<void> {
  await client.query({ ...NOTE, values: [deliveryId, sent] });
}
