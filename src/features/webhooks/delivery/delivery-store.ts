import type pg from 'pg';
import type { WebhookFormat } from '../../../platform/generated/prisma/client.js';
import type { Statement } from '../../../platform/store/connections/pool.js';
import { DUE, HEADS } from './due-sql.js';

/** Duration of a lease by PostgreSQL's clock: twice the time for an attempt and for writing its result. */
export const LEASE_MS = 30_000;

export interface DueWebhook {
  webhookId: string;
  failing: boolean;
}

const FIND_DUE: Statement = {
  name: 'webhooks-find-due',
  text: `${HEADS}
SELECT w.id AS "webhookId", w.failing_since IS NOT NULL AS failing
${DUE}`,
};

export async function findDueWebhooks(pool: pg.Pool): Promise<DueWebhook[]> {
  return (await pool.query<DueWebhook>(FIND_DUE)).rows;
}

export interface ClaimedDelivery {
  id: string;
  webhookId: string;
  accountId: string;
  type: string;
  format: WebhookFormat;
  /** See `BodyParts.data`. */
  data: string;
  occurredAt: Date;
  attempts: number;
  failures: number;
  dueAt: Date;
  url: string;
  /** The webhook's URL, which differs from `url` only for a callback. */
  endpointUrl: string;
  secret: string;
  previousSecret: string | null;
  previousSecretExpiresAt: Date | null;
  failing: boolean;
  traceparent: string | null;
  /** Number of messages at the start of the TwiML response that were already sent. */
  repliesSent: number;
  /** API key that set the webhook's URL; null if an operator set the URL. */
  keyId: string | null;
}

const CLAIM: Statement = {
  name: 'webhooks-claim',
  text: `
UPDATE webhook_deliveries d SET lease_until = now() + $4 * interval '1 millisecond'
FROM (
  SELECT due.id, w.url, coalesce(a.callback_secret, w.secret) AS secret,
    coalesce(a.callback_previous_secret, w.previous_secret) AS previous_secret,
    coalesce(a.callback_previous_secret_expires_at, w.previous_secret_expires_at) AS previous_secret_expires_at,
    w.failing_since, w.account_id, w.format, w.key_id
  FROM unnest($1::uuid[], $2::int[]) AS request(webhook_id, count)
  JOIN webhooks w ON w.id = request.webhook_id AND w.is_active
  LEFT JOIN accounts a ON w.is_callback AND a.id = w.account_id
  CROSS JOIN LATERAL (
    SELECT id FROM webhook_deliveries
    WHERE webhook_id = request.webhook_id AND next_attempt_at <= now()
      AND (lease_until IS NULL OR lease_until <= greatest(now(), $3::timestamptz))
    ORDER BY next_attempt_at LIMIT request.count FOR UPDATE SKIP LOCKED
  ) due
) c
WHERE d.id = c.id
RETURNING d.id, d.webhook_id AS "webhookId", c.account_id AS "accountId", d.type, c.format, d.data::text AS data, d.occurred_at AS "occurredAt", d.attempts,
  d.failures, d.next_attempt_at AS "dueAt", coalesce(d.url, c.url) AS url, c.url AS "endpointUrl", c.secret, c.previous_secret AS "previousSecret",
  c.previous_secret_expires_at AS "previousSecretExpiresAt", c.failing_since IS NOT NULL AS failing, d.traceparent,
  d.replies_sent AS "repliesSent", c.key_id AS "keyId"`,
};

/**
 * Claims the deliveries that have been due longest. Leases that end before `voidUntil` are ignored (see
 * `readEndOfForeignLeases`).
 */
export async function claimDeliveries(
  pool: pg.Pool,
  requests: readonly { webhookId: string; count: number }[],
  voidUntil: Date | null,
): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery>({
    ...CLAIM,
    values: [
      requests.map((request) => request.webhookId),
      requests.map((request) => request.count),
      voidUntil?.toISOString() ?? null,
      LEASE_MS,
    ],
  });
  return rows;
}

const READ_END_OF_LEASES: Statement = {
  name: 'webhooks-end-of-leases',
  text: `SELECT clock_timestamp() + $1 * interval '1 millisecond' AS end`,
};

/**
 * Returns the time at which every current lease will have ended (see src/process/startup/release-leases.ts). Leases are
 * not ended row by row, because no index finds the leased ones among perhaps millions of pending deliveries.
 */
export async function readEndOfForeignLeases(pool: pg.Pool): Promise<Date> {
  const { rows } = await pool.query<{ end: Date }>({ ...READ_END_OF_LEASES, values: [LEASE_MS] });
  return (rows[0] as { end: Date }).end;
}

export interface DeliveryResult {
  id: string;
  webhookId: string;
  accountId: string;
  /**
   * The webhook's URL at the time of the attempt. The result affects the webhook's health only if the URL has not
   * changed since the attempt.
   */
  url: string;
  /** Excludes this attempt. */
  attempts: number;
  dueAt: Date;
  ok: boolean;
  statusCode: number | null;
  error: string | null;
  answer: string | null;
  /** Milliseconds until the next attempt, or null if there is none. */
  delayMs: number | null;
  /** Whether the endpoint responded with 410, which means that it wants no more events. */
  gone: boolean;
  /** By `performance.now()`. */
  endedAt: number;
}

/** Replayed deliveries can have more attempts than the retry schedule, but only the last attempts are kept. */
const KEPT_TRIES = 20;

/**
 * If a delivery is replayed during a failed attempt, the attempt does not count, because the retry schedule restarts.
 */
const WAS_REPLAYED = 'NOT e.ok AND d.next_attempt_at <> e.due_at';

const RECORD: Statement = {
  name: 'webhooks-record',
  text: `
UPDATE webhook_deliveries d SET
  status = (CASE WHEN e.ok THEN 'delivered' WHEN e.delay IS NULL AND NOT (${WAS_REPLAYED}) THEN 'failed' ELSE 'pending' END)::delivery_status,
  attempts = d.attempts + 1,
  failures = CASE WHEN e.ok OR ${WAS_REPLAYED} THEN d.failures ELSE d.failures + 1 END,
  next_attempt_at = CASE WHEN ${WAS_REPLAYED} THEN d.next_attempt_at ELSE now() + e.delay * interval '1 millisecond' END,
  lease_until = NULL,
  last_status_code = e.status_code,
  last_error = e.error,
  last_attempt_at = now(),
  delivered_at = CASE WHEN e.ok THEN now() END,
  tries = CASE WHEN e.ok AND e.answer IS NULL AND d.attempts = 0 THEN d.tries ELSE
    CASE WHEN jsonb_array_length(d.tries) >= $8 THEN d.tries - 0 ELSE coalesce(d.tries, '[]') END
    || jsonb_build_object('at', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'statusCode', e.status_code, 'error', e.error, 'answer', e.answer) END
FROM unnest($1::uuid[], $2::int[], $3::boolean[], $4::int[], $5::text[], $6::bigint[], $7::text[], $9::timestamptz[])
  AS e(id, attempts, ok, status_code, error, delay, answer, due_at)
WHERE d.id = e.id AND d.status = 'pending' AND (e.ok OR d.attempts = e.attempts)`,
};

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

/** A failure counts only if no other process has attempted the delivery since the lease expired. */
export async function recordResults(pool: pg.Pool, results: readonly DeliveryResult[]): Promise<void> {
  const sorted = [...results].sort(byId);
  await pool.query({
    ...RECORD,
    values: [
      sorted.map((r) => r.id),
      sorted.map((r) => r.attempts),
      sorted.map((r) => r.ok),
      sorted.map((r) => r.statusCode),
      sorted.map((r) => r.error),
      sorted.map((r) => r.delayMs),
      sorted.map((r) => r.answer),
      KEPT_TRIES,
      sorted.map((r) => r.dueAt.toISOString()),
    ],
  });
}

const RELEASE: Statement = {
  name: 'webhooks-release',
  text: `UPDATE webhook_deliveries SET lease_until = NULL WHERE id = ANY($1::uuid[]) AND status = 'pending'`,
};

export async function releaseDeliveries(pool: pg.Pool, ids: readonly string[]): Promise<void> {
  await pool.query({ ...RELEASE, values: [[...ids].sort()] });
}
