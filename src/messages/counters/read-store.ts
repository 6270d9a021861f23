import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { REACHED_STATUSES } from '../message-status.js';
import { CODE_LENGTHS_ARRAY, callingCodeSql, ifDeliveredSql, NO_CHANNEL } from './fold-store.js';

export const COUNTED_EVENTS = ['accepted', ...REACHED_STATUSES, 'opted_out', 'inbound'] as const;

export type CountedEvent = (typeof COUNTED_EVENTS)[number];

export interface CountsQuery {
  /** Account ID, or null for all accounts with this currency. */
  accountId: string | null;
  currency: string;
  from: Date;
  /** Exclusive. */
  to: Date;
  step: 'hour' | 'day';
  /** IANA time zone in which days start. */
  zone: string;
}

export interface Counted {
  event: CountedEvent;
  messages: number;
  /** Amount charged for `accepted`, or refunded for other events, in millionths of the currency unit. */
  micros: bigint;
  /** Sum of delivery times. */
  milliseconds: number;
}

export interface Counts {
  byTime: (Counted & { start: Date })[];
  byChannel: (Counted & { channelId: string | null; kind: 'sms' | 'whatsapp' })[];
  byCarrier: (Counted & { carrier: string })[];
  byCountry: (Counted & { callingCode: string })[];
  /** Delivered messages by delivery time (see DELIVERY_SLOTS). */
  bySlot: (Counted & { slot: number })[];
}

/**
 * Adds up folded counts and unfolded deltas from one snapshot, so that nothing is counted twice.
 *
 * Parameters: $1 account, $2 start, $3 end, $4 step, $5 zone, $6 lengths of calling codes, $7 currency.
 */
const READ_COUNTS: PlannedStatement = {
  text: `
WITH owner AS (
  SELECT id FROM accounts WHERE CASE WHEN $1::uuid IS NULL THEN currency = $7 ELSE id = $1 END
), counted AS (
  SELECT h.hour, h.channel_id, h.kind, h.carrier, h.calling_code, h.event, h.slot, h.messages, h.micros, h.milliseconds
  FROM owner CROSS JOIN LATERAL (
    SELECT * FROM hourly_counts WHERE account_id = owner.id AND hour >= $2 AND hour < $3 OFFSET 0
  ) h
  UNION ALL
  SELECT hour, coalesce(channel_id, '${NO_CHANNEL}'), kind, carrier, ${callingCodeSql('prefix', '$6')}, reached.event,
         ${ifDeliveredSql('slot')}, messages, micros, ${ifDeliveredSql('milliseconds')}
  FROM count_deltas CROSS JOIN LATERAL unnest(events) AS reached(event) WHERE hour >= $2 AND hour < $3 AND account_id IN (SELECT id FROM owner)
), stepped AS (
  SELECT date_trunc($4, hour, $5) AS start, counted.* FROM counted
)
SELECT GROUPING(start, channel_id, carrier, calling_code, slot) AS grouped, start, channel_id AS "channelId", kind, carrier,
       calling_code AS "callingCode", slot, event, sum(messages)::float8 AS messages, sum(micros)::text AS micros,
       sum(milliseconds)::float8 AS milliseconds
FROM stepped
GROUP BY GROUPING SETS ((event, start), (event, channel_id, kind), (event, carrier), (event, calling_code), (event, slot))
HAVING sum(messages) <> 0
ORDER BY start, messages DESC`,
};

/** Bit masks returned by GROUPING(), in which the bit of the grouped column is 0. */
const GROUPED = { time: 0b01111, channel: 0b10111, carrier: 0b11011, country: 0b11101, slot: 0b11110 };

interface ReadRow extends Omit<Counted, 'micros'> {
  grouped: number;
  micros: string;
  start: Date;
  channelId: string;
  kind: 'sms' | 'whatsapp';
  carrier: string;
  callingCode: string;
  slot: number;
}

export async function readCounts(pool: pg.Pool, query: CountsQuery): Promise<Counts> {
  const { accountId, from, to, step, zone, currency } = query;
  const values = [accountId, from.toISOString(), to.toISOString(), step, zone, CODE_LENGTHS_ARRAY, currency];
  const { rows } = await pool.query<ReadRow>({ ...READ_COUNTS, values });
  const groupRows = <T>(grouped: number, readKey: (row: ReadRow) => T): (Counted & T)[] =>
    rows
      .filter((row) => row.grouped === grouped)
      .map((row) => ({
        event: row.event,
        messages: row.messages,
        micros: BigInt(row.micros),
        milliseconds: row.milliseconds,
        ...readKey(row),
      }));
  return {
    byTime: groupRows(GROUPED.time, ({ start }) => ({ start })),
    byChannel: groupRows(GROUPED.channel, ({ channelId, kind }) => ({
      channelId: channelId === NO_CHANNEL ? null : channelId,
      kind,
    })),
    byCarrier: groupRows(GROUPED.carrier, ({ carrier }) => ({ carrier })),
    byCountry: groupRows(GROUPED.country, ({ callingCode }) => ({ callingCode })),
    bySlot: groupRows(GROUPED.slot, ({ slot }) => ({ slot })).filter(({ event }) => event === 'delivered'),
  };
}
