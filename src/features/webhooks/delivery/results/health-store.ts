import type pg from 'pg';
import type { Statement } from '../../../../platform/store/connections/pool.js';
import { FAILING_LIMIT_MS } from '../retry-schedule.js';

/** Times come from `performance.now()`. */
export interface EndpointOutcomes {
  webhookId: string;
  /** The webhook's URL at the time of the attempts. Outcomes at an earlier URL are ignored. */
  url: string;
  succeededAt: number | null;
  /** When the latest failed attempt ended, not counting attempts with the response 410. */
  failedAt: number | null;
  gone: boolean;
}

export interface DisabledWebhook {
  id: string;
  reason: 'gone' | 'failing';
}

const FAILS = `(e.gone AND NOT w.is_callback
    OR coalesce(e.failed_at > coalesce(greatest(w.last_success_at, e.succeeded_at), '-infinity'), false))`;
const HAS_FAILED_LONG = 'e.succeeded_at IS NULL AND w.failing_since <= $7';

const APPLY_OUTCOMES: Statement = {
  name: 'webhooks-apply-news',
  text: `
UPDATE webhooks w SET
  last_success_at = greatest(w.last_success_at, e.succeeded_at),
  failing_since = CASE
    WHEN ${FAILS} THEN coalesce(CASE WHEN e.succeeded_at IS NULL THEN w.failing_since END, $6)
    WHEN e.succeeded_at IS NULL THEN w.failing_since
  END,
  is_active = w.is_callback OR NOT (e.gone OR coalesce(${FAILS} AND ${HAS_FAILED_LONG}, false)),
  disabled_reason = CASE
    WHEN w.is_callback THEN NULL
    WHEN e.gone THEN 'gone'
    WHEN ${FAILS} AND ${HAS_FAILED_LONG} THEN 'failing'
  END
FROM (
  SELECT id, url, gone, date_trunc('milliseconds', now() - succeeded_ago * interval '1 millisecond') AS succeeded_at,
    now() - failed_ago * interval '1 millisecond' AS failed_at
  FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::float8[], $5::float8[])
    AS outcomes(id, url, gone, succeeded_ago, failed_ago)
) e
WHERE w.id = e.id AND w.url = e.url AND w.is_active AND (
  e.succeeded_at IS NOT NULL OR ${FAILS} AND (w.failing_since IS NULL OR e.gone OR NOT w.is_callback AND ${HAS_FAILED_LONG}))
RETURNING w.id, w.disabled_reason AS reason`,
};

/**
 * Several processes may apply outcomes in any order, because only the times at which attempts ended count. A callback
 * host is never disabled, not even by a 410, because each URL belongs to a different send. Returns the webhooks that
 * were disabled.
 * @param now Business time.
 */
export async function applyOutcomes(
  pool: pg.Pool,
  outcomes: readonly EndpointOutcomes[],
  now: Date,
): Promise<DisabledWebhook[]> {
  const sorted = [...outcomes].sort((a, b) => (a.webhookId < b.webhookId ? -1 : 1));
  const readAt = performance.now();
  const msAgo = (moment: number | null) => (moment === null ? null : Math.max(0, readAt - moment));
  const { rows } = await pool.query<{ id: string; reason: DisabledWebhook['reason'] | null }>({
    ...APPLY_OUTCOMES,
    values: [
      sorted.map((each) => each.webhookId),
      sorted.map((each) => each.url),
      sorted.map((each) => each.gone),
      sorted.map((each) => msAgo(each.succeededAt)),
      sorted.map((each) => msAgo(each.failedAt)),
      now.toISOString(),
      new Date(now.getTime() - FAILING_LIMIT_MS).toISOString(),
    ],
  });
  return rows.flatMap(({ id, reason }) => (reason ? [{ id, reason }] : []));
}
