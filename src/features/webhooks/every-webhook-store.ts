import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

export interface EveryWebhook {
  id: string;
  accountId: string;
  accountName: string;
  channelId: string | null;
  /** Hosts of callback URLs are listed only while they fail. */
  isCallback: boolean;
  /** URL without user, password and query, because those parts may be secret. */
  url: string;
  isActive: boolean;
  /** `gone` or `failing`, or null if the owner disabled the webhook. */
  disabledReason: string | null;
  failingSince: Date | null;
  lastStatusCode: number | null;
  lastError: string | null;
  /** Number of failed deliveries in the log, counted up to 1,000. */
  failed: number;
}

const LIST: PlannedStatement = {
  text: `SELECT w.id, w.account_id AS "accountId", a.name AS "accountName", w.channel_id AS "channelId",
           w.is_callback AS "isCallback",
           regexp_replace(regexp_replace(w.url, '//[^/?#@]*@', '//'), '[?#].*$', '') AS url,
           w.is_active AS "isActive", w.disabled_reason AS "disabledReason", w.failing_since AS "failingSince",
           last.last_status_code AS "lastStatusCode", last.last_error AS "lastError",
           (SELECT count(*)::int FROM (SELECT FROM webhook_deliveries
            WHERE webhook_id = w.id AND status = 'failed' LIMIT 1000) given_up) AS failed
         FROM webhooks w JOIN accounts a ON a.id = w.account_id
         LEFT JOIN LATERAL (
           SELECT last_status_code, last_error FROM webhook_deliveries
           WHERE webhook_id = w.id AND last_error IS NOT NULL ORDER BY id DESC LIMIT 1
         ) last ON true
         WHERE (NOT w.is_callback OR $2) AND ($1::uuid IS NULL OR w.account_id = $1)
           AND (NOT $2::boolean OR w.failing_since IS NOT NULL OR w.disabled_reason IS NOT NULL)
         ORDER BY w.failing_since, w.id LIMIT $3`,
};

/**
 * Lists webhooks, starting with those that have failed longest. With `onlyFailing`, lists only webhooks that fail or
 * that the server disabled, including callback hosts.
 */
export async function listEveryWebhook(
  pool: Pick<pg.Pool, 'query'>,
  { accountId, onlyFailing, limit }: { accountId: string | null; onlyFailing: boolean; limit: number },
): Promise<EveryWebhook[]> {
  const { rows } = await pool.query<EveryWebhook>({ ...LIST, values: [accountId, onlyFailing, limit] });
  return rows;
}

const ENABLE: PlannedStatement = {
  text: `UPDATE webhooks SET is_active = true, disabled_reason = NULL, failing_since = NULL, updated_at = now()
         WHERE id = $1 AND NOT is_callback`,
};

export async function enableWebhook(client: Pick<pg.Pool, 'query'>, id: string): Promise<void> {
  await client.query({ ...ENABLE, values: [id] });
}

const RESEND: PlannedStatement = {
  text: `UPDATE webhook_deliveries SET status = 'pending', failures = 0, next_attempt_at = now(), delivered_at = NULL
         WHERE id IN (SELECT id FROM webhook_deliveries
           WHERE webhook_id = $1 AND status = 'failed' AND id > $2::uuid ORDER BY id LIMIT $3)`,
};

/** Oldest first. Retry schedules start over. */
export async function resendFailed(
  client: Pick<pg.Pool, 'query'>,
  id: string,
  { after, limit }: { after: string; limit: number },
): Promise<number> {
  return (await client.query({ ...RESEND, values: [id, after, limit] })).rowCount ?? 0;
}
