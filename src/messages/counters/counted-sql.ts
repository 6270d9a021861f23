/**
 * Upper bounds of the slots for delivery times, in seconds from acceptance or from the scheduled time. Changing the bounds
 * changes the meaning of stored counts.
 */
export const DELIVERY_SLOTS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200] as const;

/** Columns of `messages m` that a CTE must return, besides STATUS_EVENT_COLUMNS, for `countMoved`. */
export const COUNTED_COLUMNS = 'm.carrier, m.scheduled_at';

/**
 * Builds SQL for the digits by which messages are counted: three, which contain every calling code, or only one for +1, to
 * avoid a row for each area code.
 * @param number SQL for digits with country code, or a user ID
 */
export function prefixSql(number: string): string {
  return `CASE WHEN starts_with(${number}, '1') THEN '1' ELSE left(${number}, 3) END`;
}

export interface CountMovedOptions {
  /** CTE that returns STATUS_EVENT_COLUMNS and COUNTED_COLUMNS of moved messages. */
  moved: string;
  hour: string;
  /** Column of the CTE with the intermediate statuses (text[]) of a message. */
  passed?: string;
  /** SQL for the amount refunded for a message, which cannot be combined with `passed`. */
  refunded?: string;
  /** Set if some of the messages may have been rejected because the recipient has opted out. */
  mayIncludeOptOuts?: boolean;
}

/** Counts each status change exactly once and without locks, in the statement that changes the messages. */
export function countMoved({ moved, hour, passed, refunded, mayIncludeOptOuts = false }: CountMovedOptions): string {
  const event = mayIncludeOptOuts ? "CASE WHEN opted_out THEN 'opted_out' ELSE status::text END" : 'status::text';
  const events = passed ? `passed || ${event}` : `ARRAY[${event}]`;
  const isDelivered = `m.status = 'delivered'${passed ? ` OR 'delivered' = ANY(m.${passed})` : ''}`;
  const seconds = `date_part('epoch', m.delivered_at - coalesce(m.scheduled_at, m.created_at))`;
  return `counted AS (
INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, slot, messages, micros, milliseconds)
SELECT ${hour}, account_id, channel_id, kind, carrier, prefix, (${events})::counted_event[], slot, messages, micros,
       coalesce(greatest(seconds * 1000, 0), 0)::bigint
FROM (
  SELECT m.account_id, m.channel_id, m.kind, m.carrier, ${prefixSql('m.recipient')} AS prefix,
         m.status, ${mayIncludeOptOuts ? "m.error_code = 'OPTED_OUT' AS opted_out," : ''} ${passed ? `m.${passed} AS passed,` : ''}
         CASE WHEN ${isDelivered}
              THEN width_bucket(${seconds}, ARRAY[${DELIVERY_SLOTS.join()}]::float8[]) ELSE 0 END AS slot,
         count(*) AS messages, ${refunded ? `sum(${refunded})` : '0'} AS micros,
         sum(CASE WHEN ${isDelivered} THEN ${seconds} END) AS seconds
  FROM ${moved} m GROUP BY 1, 2, 3, 4, 5, 6${mayIncludeOptOuts ? ', opted_out' : ''}${passed ? `, m.${passed}` : ''}, slot
) grouped
RETURNING account_id
)`;
}

/**
 * Subtracts messages from the count of an event that turned out to be wrong.
 * @param options.moved as in `countMoved`
 * @param options.hour column with the hour in which the messages were counted
 */
export function uncountMoved({ moved, hour, event }: { moved: string; hour: string; event: 'failed' }): string {
  return `uncounted AS (
INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, messages)
SELECT m.${hour}, m.account_id, m.channel_id, m.kind, m.carrier, ${prefixSql('m.recipient')}, '{${event}}', -count(*)
FROM ${moved} m GROUP BY 1, 2, 3, 4, 5, 6
)`;
}
