import { readIdTime } from '../../platform/ids.js';
import { Histogram } from '../../platform/metrics/histogram.js';
import { type Metric, toSamples } from '../../platform/metrics/metric.js';
import { LANES, type Lane, laneFor } from '../lanes.js';
import type { EndEvent } from './events.js';
import type { Progress } from './status.js';
import type { MovedMessage } from './status-store.js';

/** Histogram buckets in seconds, for urgent messages sent immediately and for bulk messages that queue. */
const BUCKET_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200];
const MS_PER_SECOND = 1000;

type ReachedStatus = Progress['status'] | EndEvent['status'];
type LaneHistograms = Readonly<Record<Lane, Histogram>>;

export class StatusTally {
  readonly #reached: Record<ReachedStatus, number> = {
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
  readonly #sentDelays: LaneHistograms = { urgent: new Histogram(BUCKET_SECONDS), bulk: new Histogram(BUCKET_SECONDS) };
  readonly #deliveredDelays: LaneHistograms = {
    urgent: new Histogram(BUCKET_SECONDS),
    bulk: new Histogram(BUCKET_SECONDS),
  };

  /** Scheduled messages are counted, but their delay is not measured. */
  countMoved(
    { id, status, sent, deliveredAt }: Progress,
    { priority, passed }: Pick<MovedMessage, 'priority' | 'passed'>,
  ): void {
    for (const step of passed ?? []) this.#reached[step] += 1;
    this.#reached[status] += 1;
    if (priority === null) return;
    const acceptedAt = readIdTime(id).getTime();
    const lane = laneFor(priority);
    if (sent) this.#sentDelays[lane].observe(secondsBetween(acceptedAt, sent.at));
    if (deliveredAt && (status === 'delivered' || passed?.includes('delivered')))
      this.#deliveredDelays[lane].observe(secondsBetween(acceptedAt, deliveredAt));
  }

  countEnded({ status }: EndEvent): void {
    this.#reached[status] += 1;
  }

  countRetries(count: number): void {
    this.#retries += count;
  }

  metrics(): Metric[] {
    const byLane = (histograms: LaneHistograms) =>
      LANES.map((lane) => ({ labels: { lane }, histogram: histograms[lane] }));
    return [
      {
        name: 'heliograph_message_statuses_total',
        help: 'Statuses that messages reached: sent, delivered, read, undelivered, failed, rejected, expired, and canceled if a worker had claimed them when the cancellation was requested',
        type: 'counter',
        labels: ['status'],
        read: () => toSamples('status', Object.entries(this.#reached)),
      },
      {
        name: 'heliograph_message_retries_total',
        help: 'Failed attempts to submit a message that are retried',
        type: 'counter',
        read: () => [{ value: this.#retries }],
      },
      {
        name: 'heliograph_message_sent_delay_seconds',
        help: 'Time from acceptance until a carrier accepted the message; without scheduled messages',
        type: 'histogram',
        labels: ['lane'],
        read: () => byLane(this.#sentDelays),
      },
      {
        name: 'heliograph_message_delivered_delay_seconds',
        help: 'Time from acceptance until delivery; without scheduled messages',
        type: 'histogram',
        labels: ['lane'],
        read: () => byLane(this.#deliveredDelays),
      },
    ];
  }
}

/** Returns at least 0, because the carrier's clock may be behind ours. */
function secondsBetween(fromMs: number, to: Date): number {
  return Math.max(0, to.getTime() - fromMs) / MS_PER_SECOND;
}
