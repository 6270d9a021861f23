/** Finds the first pending delivery of each webhook, with one index lookup per webhook. */
export const HEADS = `
WITH RECURSIVE head AS (
  (SELECT webhook_id, next_attempt_at FROM webhook_deliveries WHERE next_attempt_at IS NOT NULL
   ORDER BY webhook_id, next_attempt_at LIMIT 1)
  UNION ALL
  SELECT next.webhook_id, next.next_attempt_at FROM head CROSS JOIN LATERAL (
    SELECT webhook_id, next_attempt_at FROM webhook_deliveries
    WHERE next_attempt_at IS NOT NULL AND webhook_id > head.webhook_id
    ORDER BY webhook_id, next_attempt_at LIMIT 1
  ) next
)`;

export const DUE = `FROM head JOIN webhooks w ON w.id = head.webhook_id AND w.is_active
WHERE head.next_attempt_at <= now()`;
