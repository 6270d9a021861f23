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

const EMIT_SEVERAL: Statement = {
  name: 'webhooks-emit-several',
  text: `
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
SELECT new_id(), w.id, $3::text, event.data, $5::timestamptz FROM webhooks w CROSS JOIN unnest($4::jsonb[]) AS event(data)
WHERE w.account_id = $1::uuid AND (w.channel_id = $2::uuid OR w.channel_id IS NULL) AND w.is_active
  AND $3::text = ANY(w.events)`,
};

/** Queues several events of one type and moment as `insertDeliveries` does one. */
export async function insertAllDeliveries(
  client: pg.PoolClient | pg.Pool,
  event: { accountId: string; channelId: string; type: string; occurredAt: Date },
  data: readonly object[],
): Promise<void> {
  const { accountId, channelId, type, occurredAt } = event;
  const values = [accountId, channelId, type, data.map((each) => JSON.stringify(each)), occurredAt.toISOString()];
  await client.query({ ...EMIT_SEVERAL, values });
}
