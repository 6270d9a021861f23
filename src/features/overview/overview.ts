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

export interface OverviewQuery {
  /** One account, or null for all accounts with the currency. */
  accountId: string | null;
  currency: string;
  /** `from` is rounded down to the hour, and `to` is rounded up. */
  from: Date;
  to: Date;
  /** IANA name. */
  zone: string;
}

export type EventCounts = Record<CountedEvent, number>;

export interface Overview {
  from: Date;
  to: Date;
  step: 'hour' | 'day';
  totals: EventCounts;
  /** Delivered messages as a share of all delivered, undelivered, failed, rejected and expired messages. */
  deliveryRate: number | null;
  /** Times in milliseconds, of which `median` and `p95` are rounded up to the limits of histogram slots. */
  timeToDelivery: { mean: number; median: number; p95: number } | null;
  spendMicros: bigint;
  refundMicros: bigint;
  byTime: (EventCounts & { start: Date })[];
  byChannel: (EventCounts & { channelId: string | null; kind: 'sms' | 'whatsapp' })[];
  byCarrier: (EventCounts & { carrier: string })[];
  byCountry: (EventCounts & { callingCode: string })[];
  queue: QueueDepth;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_HOURLY_PERIOD_MS = 3 * DAY_MS;
/** How long hourly counts are retained. */
const MAX_PERIOD_MS = 401 * DAY_MS;

const ZERO_COUNTS = Object.fromEntries(COUNTED_EVENTS.map((event) => [event, 0])) as EventCounts;

/** @throws {AppError} INVALID_REQUEST for a period that is empty or too long, or an unknown time zone */
export async function readOverview({ pool, clock }: OverviewOptions, question: OverviewQuery): Promise<Overview> {
  const zone = resolveZone(question.zone);
  const { from, to } = toWholeHours(question, clock.now());
  const step = to.getTime() - from.getTime() <= MAX_HOURLY_PERIOD_MS ? 'hour' : 'day';
  const [counts, queue] = await Promise.all([
    // Hourly steps are UTC hours, even for zones with a half-hour offset.
    readCounts(pool, { ...question, from, to, step, zone: step === 'hour' ? 'UTC' : zone }),
    readQueueDepth(pool, question.accountId),
  ]);
  return { from, to, step, ...computeTotals(counts), ...groupCounts(counts), queue };
}

function computeTotals({ byTime, bySlot }: Counts) {
  const totals = sumByEvent(byTime);
  const { delivered, undelivered, failed, rejected, expired } = totals;
  const finished = delivered + undelivered + failed + rejected + expired;
  const sumMicros = (charged: boolean) =>
    byTime.reduce((sum, row) => ((row.event === 'accepted') === charged ? sum + row.micros : sum), 0n);
  return {
    totals,
    deliveryRate: finished > 0 ? delivered / finished : null,
    timeToDelivery: delivered > 0 ? computeDeliveryTimes(bySlot) : null,
    spendMicros: sumMicros(true),
    refundMicros: sumMicros(false),
  };
}

function groupCounts({ byTime, byChannel, byCarrier, byCountry }: Counts) {
  return {
    byTime: groupRows(
      byTime,
      ({ start }) => start.toISOString(),
      ({ start }) => ({ start }),
    ),
    byChannel: groupRows(
      byChannel,
      ({ channelId, kind }) => `${channelId} ${kind}`,
      ({ channelId, kind }) => ({ channelId, kind }),
    ),
    byCarrier: groupRows(
      byCarrier,
      ({ carrier }) => carrier,
      ({ carrier }) => ({ carrier }),
    ),
    byCountry: groupRows(
      byCountry,
      ({ callingCode }) => callingCode,
      ({ callingCode }) => ({ callingCode }),
    ),
  };
}

export function sumByEvent(rows: readonly Pick<Counted, 'event' | 'messages'>[]): EventCounts {
  const numbers = { ...ZERO_COUNTS };
  for (const { event, messages } of rows) numbers[event] += messages;
  return numbers;
}

function groupRows<T extends Counted, K>(
  rows: readonly T[],
  getKey: (row: T) => string,
  getFields: (row: T) => K,
): (EventCounts & K)[] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(getKey(row));
    if (group) group.push(row);
    else groups.set(getKey(row), [row]);
  }
  return [...groups.values()].map((group) => ({ ...sumByEvent(group), ...getFields(group[0] as T) }));
}

function computeDeliveryTimes(slots: Counts['bySlot']) {
  const ordered = [...slots].sort((a, b) => a.slot - b.slot);
  const count = ordered.reduce((sum, { messages }) => sum + messages, 0);
  const milliseconds = ordered.reduce((sum, row) => sum + row.milliseconds, 0);
  const percentile = (share: number) => {
    let cumulative = 0;
    for (const { slot, messages } of ordered) {
      cumulative += messages;
      // The last histogram slot has no upper limit, so its mean is used.
      if (cumulative >= count * share) {
        const limitSeconds = DELIVERY_SLOTS[slot];
        const slotRow = ordered.find((row) => row.slot === slot);
        return limitSeconds === undefined
          ? (slotRow?.milliseconds ?? 0) / (slotRow?.messages ?? 1)
          : limitSeconds * 1000;
      }
    }
    return 0;
  };
  return { mean: milliseconds / count, median: percentile(0.5), p95: percentile(0.95) };
}

/**
 * Includes the current hour.
 * @throws {AppError} INVALID_REQUEST for a period that is empty or too long
 */
export function toWholeHours(question: { from: Date; to: Date }, now: Date): { from: Date; to: Date } {
  const from = startOfHour(question.from);
  const to = startOfHour(new Date(Math.min(question.to.getTime(), now.getTime()) + HOUR_MS));
  if (to <= from) refuse('to', 'must be later than from, and from must not be in the future');
  if (to.getTime() - from.getTime() > MAX_PERIOD_MS) refuse('from', 'must be at most 400 days before to');
  return { from, to };
}

function startOfHour(moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);
}

function resolveZone(zone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return refuse('zone', 'must be a time zone such as Europe/Berlin');
  }
}

function refuse(field: string, rule: string): never {
  throw new AppError('INVALID_REQUEST', `${field} ${rule}`, [{ field, rule }]);
}
