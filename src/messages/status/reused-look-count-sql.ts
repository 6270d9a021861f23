/*
 * `messages.look_count` counts the relay's looks at an open message. The column is reused for messages that the relay never
 * checks:
 * - Ended by a receipt: hours from the hour of `ended_at` (the carrier's clock) to the hour of the count, or 0 in rows of
 * earlier versions.
 * - Read: 1 if an earlier statement had already marked the message delivered, else 0.
 */

/** Exceeds the time for which counts are retained, but fits into a smallint. */
const MAX_HOURS = 30_000;

export function hoursUntilCountedSql(endedAt: string, hour: string): string {
  const hours = `extract(epoch FROM ${hour} - date_trunc('hour', ${endedAt}, 'UTC')) / 3600`;
  return `least(greatest(${hours}, -${MAX_HOURS}), ${MAX_HOURS})::smallint`;
}

export const COUNTED_HOUR = "date_trunc('hour', m.ended_at, 'UTC') + m.look_count * interval '1 hour'";

/** Must be used in SET, because RETURNING sees the new row and a subquery may miss a concurrent change. */
export const DELIVERED_BEFORE = "CASE WHEN e.status = 'read' AND m.delivered_at IS NOT NULL THEN 1 ELSE 0 END";
