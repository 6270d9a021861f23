import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/pool.js';

/** How far the deliverers are behind. */
export interface OutboxState {
  /** Active webhooks with a due delivery. */
  due: number;
  /** Since when the longest due delivery is due; 0 where none is. */
  lagSeconds: number;
  /** Active webhooks whose deliveries fail. */
  failing: number;
}

/** One descent in the index of what is pending for each webhook, as the deliverer's own look; however many deliveries wait. */
const STATE: PlannedStatement = {
  text: `
WITH RECURSIVE head AS (
  (SELECT webhook_id, next_attempt_at FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL
   ORDER BY webhook_id, next_attempt_at LIMIT 1)
  UNION ALL
  SELECT next.webhook_id, next.next_attempt_at FROM head CROSS JOIN LATERAL (
    SELECT webhook_id, next_attempt_at FROM webhook_deliveries
    WHERE next_attempt_at IS NOT NULL AND webhook_id > head.webhook_id
    ORDER BY webhook_id, next_attempt_at LIMIT 1
  ) next
)
SELECT count(*)::int AS due,
       coalesce(date_part('epoch', now() - min(head.next_attempt_at)), 0)::float8 AS "lagSeconds",
       (SELECT count(*)::int FROM webhooks WHERE is_active AND failing_since IS NOT NULL) AS failing
FROM head JOIN webhooks w ON w.id = head.webhook_id AND w.is_active
WHERE head.next_attempt_at <= now()`,
};

export async function readOutboxState(pool: pg.Pool): Promise<OutboxState> {
  return (await pool.query<OutboxState>(STATE)).rows[0] as OutboxState;
}
