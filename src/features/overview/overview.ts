import type pg from 'pg';
import { DELIVERY_SLOTS } from '../../messages/counters/counted-sql.js';
import {
  COUNTED_EVENTS,
  type Counted,
  type CountedEvent,
  type Counts,
  readCounts,
} from '../../messages/counters/read-store.js';
import { type QueueDepth, readQueueDepth } from '../../messages/queue/depth-store.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';

export interface OverviewOptions {
  pool: pg.Pool;
  clock: Clock;
}

export interface OverviewQuestion {
  /** Null: of every account with the currency. */
  accountId: string | null;
  currency: string;
  /** The hours from the one with this moment to the one with `to`. */
  from: Date;
  to: Date;
  /** In which days begin, by its name in the IANA database. */
  zone: string;
}

/** Numbers of messages by what they came to. */
export type Numbers = Record<CountedEvent, number>;

export interface Overview {
  from: Date;
  to: Date;
  step: 'hour' | 'day';
  totals: Numbers;
  /** Of all that came to an end at or after its carrier, or failed, the share that was delivered; null where none did. */
  deliveryRate: number | null;
  /** Milliseconds to delivery: the mean, and below which half and 95 of 100 lie, by the border of a slot. */
  timeToDelivery: { mean: number; median: number; p95: number } | null;
  spendMicros: bigint;
  refundMicros: bigint;
  byTime: (Numbers & { start: Date })[];
  byChannel: (Numbers & { channelId: string | null; kind: 'sms' | 'whatsapp' })[];
  byCarrier: (Numbers & { carrier: string })[];
  byCountry: (Numbers & { callingCode: string })[];
  queue: QueueDepth;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Up to this length a step is an hour. */
const HOURLY_MS = 3 * DAY_MS;
/** Counts are kept no longer. */
const LONGEST_MS = 401 * DAY_MS;

const NONE = Object.fromEntries(COUNTED_EVENTS.map((event) => [event, 0])) as Numbers;

/**
 * What became of messages in some hours, and what waits now.
 * @throws {AppError} INVALID_REQUEST for a time that ends before it begins or is too long, or a zone that does not exist
 */
export async function readOverview({ pool, clock }: OverviewOptions, question: OverviewQuestion): Promise<Overview> {
  const zone = zoneOf(question.zone);
  const { from, to } = hoursOf(question, clock.now());
  const step = to.getTime() - from.getTime() <= HOURLY_MS ? 'hour' : 'day';
  const [counts, queue] = await Promise.all([
    // Hours of zones that are half an hour apart from UTC begin with the hours of UTC.
    readCounts(pool, { ...question, from, to, step, zone: step === 'hour' ? 'UTC' : zone }),
    readQueueDepth(pool, question.accountId),
  ]);
  return { from, to, step, ...sumsOf(counts), ...dividedBy(counts), queue };
}

function sumsOf({ byTime, bySlot }: Counts) {
  const totals = numbersOf(byTime);
  const { delivered, undelivered, failed, rejected, expired } = totals;
  const ended = delivered + undelivered + failed + rejected + expired;
  const micros = (charged: boolean) =>
    byTime.reduce((sum, row) => ((row.event === 'accepted') === charged ? sum + row.micros : sum), 0n);
  return {
    totals,
    deliveryRate: ended > 0 ? delivered / ended : null,
    timeToDelivery: delivered > 0 ? timesOf(bySlot) : null,
    spendMicros: micros(true),
    refundMicros: micros(false),
  };
}

function dividedBy({ byTime, byChannel, byCarrier, byCountry }: Counts) {
  return {
    byTime: gather(
      byTime,
      ({ start }) => start.toISOString(),
      ({ start }) => ({ start }),
    ),
    byChannel: gather(
      byChannel,
      ({ channelId, kind }) => `${channelId} ${kind}`,
      ({ channelId, kind }) => ({ channelId, kind }),
    ),
    byCarrier: gather(
      byCarrier,
      ({ carrier }) => carrier,
      ({ carrier }) => ({ carrier }),
    ),
    byCountry: gather(
      byCountry,
      ({ callingCode }) => callingCode,
      ({ callingCode }) => ({ callingCode }),
    ),
  };
}

/** Rows added up. */
export function numbersOf(rows: readonly Pick<Counted, 'event' | 'messages'>[]): Numbers {
  const numbers = { ...NONE };
  for (const { event, messages } of rows) numbers[event] += messages;
  return numbers;
}

/** Rows of one key together, in the order in which their keys come. */
function gather<T extends Counted, K>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  partOf: (row: T) => K,
): (Numbers & K)[] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const known = groups.get(keyOf(row));
    if (known) known.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return [...groups.values()].map((group) => ({ ...numbersOf(group), ...partOf(group[0] as T) }));
}

function timesOf(slots: Counts['bySlot']) {
  const ordered = [...slots].sort((a, b) => a.slot - b.slot);
  const count = ordered.reduce((sum, { messages }) => sum + messages, 0);
  const milliseconds = ordered.reduce((sum, row) => sum + row.milliseconds, 0);
  const below = (share: number) => {
    let passed = 0;
    for (const { slot, messages } of ordered) {
      passed += messages;
      // Of the last slot, which has no upper border, the mean is told.
      if (passed >= count * share) {
        const border = DELIVERY_SLOTS[slot];
        const own = ordered.find((row) => row.slot === slot);
        return border === undefined ? (own?.milliseconds ?? 0) / (own?.messages ?? 1) : border * 1000;
      }
    }
    return 0;
  };
  return { mean: milliseconds / count, median: below(0.5), p95: below(0.95) };
}

/**
 * The whole hours with the moments of a question, the one that is under way included.
 * @throws {AppError} INVALID_REQUEST for a time that ends before it begins or is too long
 */
export function hoursOf(question: { from: Date; to: Date }, now: Date): { from: Date; to: Date } {
  const from = hourBefore(question.from);
  const to = hourBefore(new Date(Math.min(question.to.getTime(), now.getTime()) + HOUR_MS));
  if (to <= from) refuse('to', 'must be later than from, and from must not lie ahead');
  if (to.getTime() - from.getTime() > LONGEST_MS) refuse('from', 'must be at most 400 days before to');
  return { from, to };
}

function hourBefore(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);
}

function zoneOf(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return refuse('zone', 'must be a time zone such as Europe/Berlin');
  }
}

function refuse(field: string, rule: string): never {
  throw new AppError('INVALID_REQUEST', `${field} ${rule}`, [{ field, rule }]);
}
