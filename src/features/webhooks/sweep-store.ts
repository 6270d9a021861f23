import type pg from 'pg';
import type { Statement } from '../../platform/store/pool.js';

/** Ids begin with their time, so the oldest rows are one end of the primary key. */
const DELETE_OLD: Statement = {
  name: 'webhooks-sweep-old',
  text: `
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT id FROM webhook_deliveries WHERE id < $2::uuid ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`,
};

/** Deletes at most `max` deliveries whose ids are below a border. Returns how many it deleted. */
export async function deleteOld(pool: pg.Pool, border: string, max: number): Promise<number> {
  const { rowCount } = await pool.query({ ...DELETE_OLD, values: [max, border] });
  return rowCount ?? 0;
}

/** Those of deleted webhooks, which are found by jumping from one webhook to the next in the index. */
const DELETE_ORPHANS: Statement = {
  name: 'webhooks-sweep-orphans',
  text: `
WITH RECURSIVE owner AS (
  (SELECT webhook_id FROM webhook_deliveries ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT next.webhook_id FROM owner CROSS JOIN LATERAL (
    SELECT webhook_id FROM webhook_deliveries WHERE webhook_id > owner.webhook_id ORDER BY webhook_id LIMIT 1
  ) next
)
DELETE FROM webhook_deliveries WHERE id IN (
  SELECT orphan.id FROM owner CROSS JOIN LATERAL (
    SELECT id FROM webhook_deliveries WHERE webhook_id = owner.webhook_id LIMIT $1 FOR UPDATE SKIP LOCKED
  ) orphan
  WHERE NOT EXISTS (SELECT FROM webhooks WHERE id = owner.webhook_id) LIMIT $1)`,
};

/** Deletes at most `max` deliveries whose webhook is gone. Returns how many it deleted. */
export async function deleteOrphans(pool: pg.Pool, max: number): Promise<number> {
  const { rowCount } = await pool.query({ ...DELETE_ORPHANS, values: [max] });
  return rowCount ?? 0;
}
