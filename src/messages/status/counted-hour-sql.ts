/*
 * `look_count` of a message that a receipt ended: hours from the one of its end, by its carrier's clock, to the one in which the
 * end was counted. The relay looks at no ended message, so the column is free. 0 in rows of earlier versions.
 */

/** Far more hours than counts are kept, and within the range of the column. */
const MOST_HOURS = 30_000;

/**
 * SQL: what `look_count` becomes when a receipt ends a message.
 * @param endedAt when the message ended
 * @param hour the hour in which its end is counted
 */
export function hoursUntilCounted(endedAt: string, hour: string): string {
  const hours = `extract(epoch FROM ${hour} - date_trunc('hour', ${endedAt}, 'UTC')) / 3600`;
  return `least(greatest(${hours}, -${MOST_HOURS}), ${MOST_HOURS})::smallint`;
}

/** SQL: the hour in which the end of `messages m` was counted. */
export const COUNTED_HOUR = "date_trunc('hour', m.ended_at, 'UTC') + m.look_count * interval '1 hour'";
