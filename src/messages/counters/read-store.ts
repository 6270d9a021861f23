import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { REACHED_STATUSES } from '../message-status.js';
import { CODE_LENGTHS_ARRAY, callingCodeIn, NO_CHANNEL, ofDelivered } from './fold-store.js';

export const COUNTED_EVENTS = ['accepted', ...REACHED_STATUSES, 'opted_out', 'inbound'] as const;

export type CountedEvent = (typeof COUNTED_EVENTS)[number];

export interface CountsQuestion {
  /** Null: of every account with this currency. */
  accountId: string | null;
  /** Of the accounts; only asked where there is no account. */
  currency: string;
  /** Hours from the one that begins here on, before the one that begins at `to`. */
  from: Date;
  to: Date;
  /** How long a step of the time is, and in which zone days begin, by its name in the IANA database. */
  step: 'hour' | 'day';
  zone: string;
}

/** Messages that came to something. */
export interface Counted {
  event: CountedEvent;
  messages: number;
  /** Millionths: charged where the event is `accepted`, refunded elsewhere. */
  micros: bigint;
  /** Of `delivered`: sum of the times to delivery. */
  milliseconds: number;
}

/** The same messages, divided in five ways. */
export interface Counts {
  byTime: (Counted & { start: Date })[];
  byChannel: (Counted & { channelId: string | null; kind: 'sms' | 'whatsapp' })[];
  byCarrier: (Counted & { carrier: string })[];
  byCountry: (Counted & { callingCode: string })[];
  /** Of `delivered` alone: see DELIVERY_SLOTS. */
  bySlot: (Counted & { slot: number })[];
}

/**
 * What is folded and what is not, of one snapshot, so that nothing is counted twice or left out. $1 account, $2 and $3 the
 * time, $4 step, $5 zone, $6 lengths of calling codes, $7 currency.
 */
const READ: PlannedStatement = {
  text: `
WITH owner AS (
  SELECT id FROM accounts WHERE CASE WHEN $1::uuid IS NULL THEN currency = $7 ELSE id = $1 END
), counted AS (
  SELECT h.hour, h.channel_id, h.kind, h.carrier, h.calling_code, h.event, h.slot, h.messages, h.micros, h.milliseconds
  FROM owner CROSS JOIN LATERAL (
    SELECT * FROM hourly_counts WHERE account_id = owner.id AND hour >= $2 AND hour < $3 OFFSET 0
  ) h
  UNION ALL
  SELECT hour, coalesce(channel_id, '${NO_CHANNEL}'), kind, carrier, ${callingCodeIn('prefix', '$6')}, reached.event,
         ${ofDelivered('slot')}, messages, micros, ${ofDelivered('milliseconds')}
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

/** A bit is 0 for what the rows are divided by. */
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

/** What was counted in some hours, to the last committed statement. */
export async function readCounts(pool: pg.Pool, question: CountsQuestion): Promise<Counts> {
  const { accountId, from, to, step, zone, currency } = question;
  const values = [accountId, from.toISOString(), to.toISOString(), step, zone, CODE_LENGTHS_ARRAY, currency];
  const { rows } = await pool.query<ReadRow>({ ...READ, values });
  const divided = <T>(grouped: number, keyOf: (row: ReadRow) => T): (Counted & T)[] =>
    rows
      .filter((row) => row.grouped === grouped)
      .map((row) => ({
        event: row.event,
        messages: row.messages,
        micros: BigInt(row.micros),
        milliseconds: row.milliseconds,
        ...keyOf(row),
      }));
  return {
    byTime: divided(GROUPED.time, ({ start }) => ({ start })),
    byChannel: divided(GROUPED.channel, ({ channelId, kind }) => ({
      channelId: channelId === NO_CHANNEL ? null : channelId,
      kind,
    })),
    byCarrier: divided(GROUPED.carrier, ({ carrier }) => ({ carrier })),
    byCountry: divided(GROUPED.country, ({ callingCode }) => ({ callingCode })),
    bySlot: divided(GROUPED.slot, ({ slot }) => ({ slot })).filter(({ event }) => event === 'delivered'),
  };
}
