import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/pool.js';

/** One event for one webhook, and what became of it. */
export interface DeliveryEntry {
  /** Also its `webhook-id`. */
  id: string;
  type: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatusCode: number | null;
  lastError: string | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  /** PostgreSQL's time; null once it is delivered or given up. */
  nextAttemptAt: Date | null;
  deliveredAt: Date | null;
}

const ENTRY = `id, type, status, attempts, last_status_code AS "lastStatusCode", last_error AS "lastError",
  created_at AS "createdAt", last_attempt_at AS "lastAttemptAt", next_attempt_at AS "nextAttemptAt",
  delivered_at AS "deliveredAt"`;

const INSERT_TEST: PlannedStatement = {
  text: `INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
         VALUES ($1, $2, 'webhook.test', $3, $4) RETURNING ${ENTRY}`,
};

/** Queues an event of type `webhook.test`, due at once by PostgreSQL's clock. */
export async function insertTest(
  pool: pg.Pool,
  { id, webhookId, data, occurredAt }: { id: string; webhookId: string; data: object; occurredAt: Date },
): Promise<DeliveryEntry> {
  const values = [id, webhookId, JSON.stringify(data), occurredAt.toISOString()];
  const { rows } = await pool.query<DeliveryEntry>({ ...INSERT_TEST, values });
  return rows[0] as DeliveryEntry;
}

const REPLAY: PlannedStatement = {
  text: `UPDATE webhook_deliveries SET status = 'pending', failures = 0, next_attempt_at = now(), delivered_at = NULL
         WHERE id = $1 AND webhook_id = $2 RETURNING ${ENTRY}`,
};

/** Queues a delivery again, due at once; null when the webhook has no such delivery. */
export async function requeue(pool: pg.Pool, webhookId: string, id: string): Promise<DeliveryEntry | null> {
  const { rows } = await pool.query<DeliveryEntry>({ ...REPLAY, values: [id, webhookId] });
  return rows[0] ?? null;
}
