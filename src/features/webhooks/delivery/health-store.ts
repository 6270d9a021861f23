import type pg from 'pg';
import type { Statement } from '../../../platform/store/connections/pool.js';
import { FAILING_LIMIT_MS } from './retry-schedule.js';

/** How the deliveries of one webhook have just gone. */
export interface EndpointNews {
  webhookId: string;
  /** The URL that they went to. */
  url: string;
  /** At least one of them succeeded. */
  ok: boolean;
  /** One was answered with 410. */
  gone: boolean;
}

/** A webhook that the server has just disabled. */
export interface DisabledWebhook {
  id: string;
  reason: 'gone' | 'failing';
}

const APPLY_NEWS: Statement = {
  name: 'webhooks-apply-news',
  text: `
UPDATE webhooks w SET
  failing_since = CASE WHEN e.ok THEN NULL ELSE coalesce(w.failing_since, $5) END,
  is_active = w.is_callback OR NOT (e.gone OR NOT e.ok AND w.failing_since IS NOT NULL AND w.failing_since <= $6),
  disabled_reason = CASE
    WHEN w.is_callback THEN NULL
    WHEN e.gone THEN 'gone' WHEN NOT e.ok AND w.failing_since IS NOT NULL AND w.failing_since <= $6 THEN 'failing'
  END
FROM unnest($1::uuid[], $2::text[], $3::boolean[], $4::boolean[]) AS e(id, url, ok, gone)
WHERE w.id = e.id AND w.url = e.url AND w.is_active AND CASE
  WHEN w.is_callback THEN (e.ok OR NOT e.gone) AND e.ok = (w.failing_since IS NOT NULL)
  ELSE e.gone OR e.ok = (w.failing_since IS NOT NULL) OR NOT e.ok AND w.failing_since <= $6 END
RETURNING w.id, w.disabled_reason AS reason`,
};

/**
 * Notes since when webhooks fail, ends that at a success, and disables those that are gone or have failed for too long.
 * The host of callback URLs is marked as failing like others, but never disabled, and 410 is no failure of it: each URL is another
 * send's.
 * @param now business time
 * @returns the webhooks that it disabled
 */
export async function applyNews(pool: pg.Pool, news: readonly EndpointNews[], now: Date): Promise<DisabledWebhook[]> {
  const sorted = [...news].sort((a, b) => (a.webhookId < b.webhookId ? -1 : 1));
  const { rows } = await pool.query<{ id: string; reason: DisabledWebhook['reason'] | null }>({
    ...APPLY_NEWS,
    values: [
      sorted.map((each) => each.webhookId),
      sorted.map((each) => each.url),
      sorted.map((each) => each.ok),
      sorted.map((each) => each.gone),
      now.toISOString(),
      new Date(now.getTime() - FAILING_LIMIT_MS).toISOString(),
    ],
  });
  return rows.flatMap(({ id, reason }) => (reason ? [{ id, reason }] : []));
}
