import { timeOfId } from '../../platform/ids.js';
import { type Metric, samplesBy } from '../../platform/metrics/metric.js';
import { Spread } from '../../platform/metrics/spread.js';
import { LANES, type Lane, laneOf } from '../lanes.js';
import type { EndEvent } from './events.js';
import type { Progress } from './status.js';
import type { MovedMessage } from './status-store.js';

/** Borders of the times of messages in seconds: of an urgent one that goes at once, and of one that waits its turn. */
const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];
const MS_PER_SECOND = 1000;

type Counted = Progress['status'] | EndEvent['status'];
type LaneSpreads = Readonly<Record<Lane, Spread>>;

/** Counts what became of messages, and how long it took. */
export class StatusTally {
  readonly #reached: Record<Counted, number> = {
    sent: 0,
    delivered: 0,
    read: 0,
    undelivered: 0,
    failed: 0,
    rejected: 0,
    expired: 0,
    canceled: 0,
  };
  #retries = 0;
  readonly #toSent: LaneSpreads = { urgent: new Spread(SECONDS), bulk: new Spread(SECONDS) };
  readonly #toDelivered: LaneSpreads = { urgent: new Spread(SECONDS), bulk: new Spread(SECONDS) };

  /** A message was moved forward. Of a scheduled one the time is no measure of how fast it went. */
  moved(
    { id, status, sent, deliveredAt }: Progress,
    { priority, passed }: Pick<MovedMessage, 'priority' | 'passed'>,
  ): void {
    for (const step of passed ?? []) this.#reached[step] += 1;
    this.#reached[status] += 1;
    if (priority === null) return;
    const acceptedAt = timeOfId(id).getTime();
    const lane = laneOf(priority);
    if (sent) this.#toSent[lane].see(secondsBetween(acceptedAt, sent.at));
    if (deliveredAt && (status === 'delivered' || passed?.includes('delivered')))
      this.#toDelivered[lane].see(secondsBetween(acceptedAt, deliveredAt));
  }

  ended({ status }: EndEvent): void {
    this.#reached[status] += 1;
  }

  retried(count: number): void {
    this.#retries += count;
  }

  metrics(): Metric[] {
    const byLane = (spreads: LaneSpreads) => LANES.map((lane) => ({ labels: { lane }, spread: spreads[lane] }));
    return [
      {
        name: 'heliograph_message_statuses_total',
        help: 'Statuses that messages reached, by status',
        type: 'counter',
        labels: ['status'],
        read: () => samplesBy('status', Object.entries(this.#reached)),
      },
      {
        name: 'heliograph_message_retries_total',
        help: 'Tries of a message that failed and are made again',
        type: 'counter',
        read: () => [{ value: this.#retries }],
      },
      {
        name: 'heliograph_message_sent_delay_seconds',
        help: 'Time from the acceptance of a message until a carrier took it, by lane; without scheduled ones',
        type: 'histogram',
        labels: ['lane'],
        read: () => byLane(this.#toSent),
      },
      {
        name: 'heliograph_message_delivered_delay_seconds',
        help: 'Time from the acceptance of a message until it was delivered, by lane; without scheduled ones',
        type: 'histogram',
        labels: ['lane'],
        read: () => byLane(this.#toDelivered),
      },
    ];
  }
}

/** Never below zero: a carrier's clock is another. */
function secondsBetween(fromMs: number, to: Date): number {
  return Math.max(0, to.getTime() - fromMs) / MS_PER_SECOND;
}
