/*
 * `messages.look_count` counts the relay's looks at an open message. The column is reused for messages that the relay
 * never checks:
 * - ended by a receipt: hours from the hour of `ended_at` (the carrier's clock) to that of the count. Rows written by
 *   earlier versions have 0.
 * - read: 1 if an earlier statement had already marked the message delivered, else 0.
 */

/** Longer than counts are retained, and within the range of smallint. */
const MAX_HOURS = 30_000;

export function hoursUntilCountedSql(endedAt: string, hour: string): string {
  const hours = `extract(epoch FROM ${hour} - date_trunc('hour', ${endedAt}, 'UTC')) / 3600`;
  return `least(greatest(${hours}, -${MAX_HOURS}), ${MAX_HOURS})::smallint`;
}

export const COUNTED_HOUR = "date_trunc('hour', m.ended_at, 'UTC') + m.look_count * interval '1 hour'";

/**
 * Only SET expressions see the row as it was: RETURNING sees the new row, and a subquery may miss a concurrent change.
 */
export const DELIVERED_BEFORE = "CASE WHEN e.status = 'read' AND m.delivered_at IS NOT NULL THEN 1 ELSE 0 END";
