import type pg from 'pg';
import type { Statement } from '../../platform/store/connections/pool.js';
import { eventBodySql } from './bodies-sql.js';
import { TEST_EVENT } from './webhook-events.js';

const INSERT_DELIVERIES: Statement = {
  name: 'webhooks-emit',
  text: `
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
SELECT new_id(), w.id, $3::text, event.data, $5::timestamptz FROM webhooks w CROSS JOIN unnest($4::jsonb[]) AS event(data)
WHERE w.account_id = $1::uuid AND (w.channel_id = $2::uuid OR w.channel_id IS NULL) AND w.is_active
  AND $3::text = ANY(w.events)`,
};

/**
 * @param bodies `data` of each event, as JSON
 * @returns number of deliveries
 */
export async function insertDeliveries(
  client: pg.PoolClient | pg.Pool,
  event: { accountId: string; channelId: string | null; type: string; occurredAt: Date },
  bodies: readonly string[],
): Promise<number> {
  const { accountId, channelId, type, occurredAt } = event;
  const values = [accountId, channelId, type, bodies, occurredAt.toISOString()];
  const { rowCount } = await client.query({ ...INSERT_DELIVERIES, values });
  return rowCount ?? 0;
}

/**
 * Parameters: $1 delivery ID, $2 webhook, $3 `data` as JSON, $4 time.
 * @param returning columns of the delivery
 */
export function insertTestEventSql(returning: string): string {
  return `INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
         VALUES ($1, $2, '${TEST_EVENT}', $3, $4) RETURNING ${returning}`;
}

/** @param accounts name of a CTE that returns the `accounts` whose balance fell below their threshold */
export function insertBalanceLowSql(accounts: string): string {
  return `
INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
SELECT new_id(), w.id, 'account.balance_low', ${eventBodySql('account.balance_low')}, a.balance_changed_at
FROM ${accounts} a JOIN webhooks w ON w.account_id = a.id AND w.channel_id IS NULL AND w.is_active
  AND 'account.balance_low' = ANY(w.events)`;
}
