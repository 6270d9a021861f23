/**
 * Borders of the time from a message's acceptance, or from the time that it was scheduled for, to its delivery, in
 * seconds. Slot 0 lies below the first, slot n from the n-th on. Changing them gives stored counts another meaning.
 */
export const DELIVERY_SLOTS = [0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 7200] as const;

/** What a statement must return of `messages m`, beside STATUS_EVENT_COLUMNS, for `countMoved`. */
export const COUNTED_COLUMNS = 'm.carrier, m.scheduled_at';

/**
 * The leading digits by which the country of a number is told later (see `callingCodeIn`). Three hold every calling code; a number
 * of +1 needs no more than the one, of which there would otherwise be a row for each area. Of a user id they are the country
 * and a point.
 * @param number digits with country code, or a user id, as SQL
 */
export function prefixOf(number: string): string {
  return `CASE WHEN starts_with(${number}, '1') THEN '1' ELSE left(${number}, 3) END`;
}

export interface CountMoved {
  /** A common table expression that returns STATUS_EVENT_COLUMNS and COUNTED_COLUMNS of messages that it moved. */
  moved: string;
  /** The hour that it counts in, as SQL. */
  hour: string;
  /** Its column, if any, that lists the statuses (text[]) which a message passed on the way to its present one. */
  passed?: string;
  /** What of a message's price was refunded, in millionths, as SQL over `moved m`; nothing unless told. Not with `passed`. */
  refunded?: string;
  /** Whether messages may be among them that were rejected because their recipient wants none. */
  optOuts?: boolean;
}

/**
 * The common table expression of a statement that counts the messages which it moved: some rows for `count_deltas`, one for
 * each account, channel, carrier, country and outcome. It locks nothing that others wait for, and as it is part of the
 * statement that moves the messages, each move is counted once, whatever is repeated. It returns the `account_id` of each
 * row.
 */
export function countMoved({ moved, hour, passed, refunded, optOuts = false }: CountMoved): string {
  const event = optOuts ? "CASE WHEN opted_out THEN 'opted_out' ELSE status::text END" : 'status::text';
  const events = passed ? `passed || ${event}` : `ARRAY[${event}]`;
  const isDelivered = `m.status = 'delivered'${passed ? ` OR 'delivered' = ANY(m.${passed})` : ''}`;
  const seconds = `date_part('epoch', m.delivered_at - coalesce(m.scheduled_at, m.created_at))`;
  return `counted AS (
INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, slot, messages, micros, milliseconds)
SELECT ${hour}, account_id, channel_id, kind, carrier, prefix, (${events})::counted_event[], slot, messages, micros,
       coalesce(greatest(seconds * 1000, 0), 0)::bigint
FROM (
  SELECT m.account_id, m.channel_id, m.kind, m.carrier, ${prefixOf('m.recipient')} AS prefix,
         m.status, ${optOuts ? "m.error_code = 'OPTED_OUT' AS opted_out," : ''} ${passed ? `m.${passed} AS passed,` : ''}
         CASE WHEN ${isDelivered}
              THEN width_bucket(${seconds}, ARRAY[${DELIVERY_SLOTS.join()}]::float8[]) ELSE 0 END AS slot,
         count(*) AS messages, ${refunded ? `sum(${refunded})` : '0'} AS micros,
         sum(CASE WHEN ${isDelivered} THEN ${seconds} END) AS seconds
  FROM ${moved} m GROUP BY 1, 2, 3, 4, 5, 6${optOuts ? ', opted_out' : ''}${passed ? `, m.${passed}` : ''}, slot
) grouped
RETURNING account_id
)`;
}

/**
 * A common table expression that subtracts moved messages from an earlier count, because their earlier event turned out to be
 * wrong.
 * @param options.moved as in `countMoved`
 * @param options.hour its column with the hour in which they were counted
 * @param options.event what they were counted as
 */
export function uncountMoved({ moved, hour, event }: { moved: string; hour: string; event: 'failed' }): string {
  return `uncounted AS (
INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, messages)
SELECT m.${hour}, m.account_id, m.channel_id, m.kind, m.carrier, ${prefixOf('m.recipient')}, '{${event}}', -count(*)
FROM ${moved} m GROUP BY 1, 2, 3, 4, 5, 6
)`;
}
