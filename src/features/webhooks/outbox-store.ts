import type pg from 'pg';
import type { Statement } from '../../platform/store/pool.js';

const EMIT: Statement = {
  name: 'webhooks-emit',
  text: `
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
SELECT new_id(), id, $3::text, $4::jsonb, $5::timestamptz FROM webhooks
WHERE account_id = $1::uuid AND (channel_id = $2::uuid OR channel_id IS NULL) AND is_active
  AND $3::text = ANY(events)`,
};

/** Queues an event for every active webhook of a channel, or of its account, that wants it. Returns how many these are. */
export async function insertDeliveries(
  client: pg.PoolClient | pg.Pool,
  event: { accountId: string; channelId: string; type: string; data: object; occurredAt: Date },
): Promise<number> {
  const { accountId, channelId, type, data, occurredAt } = event;
  const values = [accountId, channelId, type, JSON.stringify(data), occurredAt.toISOString()];
  const { rowCount } = await client.query({ ...EMIT, values });
  return rowCount ?? 0;
}
