import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';
import { laneOf } from '../queue/lanes.js';
import type { PendingRequest } from './pending-request.js';

/** Counts the messages that were accepted. */
export class AcceptTally {
  readonly #messages = new Tally('kind', 'lane');

  committed(requests: readonly PendingRequest[]): void {
    for (const { request, ids } of requests) this.#messages.add(request.kind, laneOf(request.priority), ids.length);
  }

  metrics(): Metric[] {
    return [
      this.#messages.metric(
        'heliograph_messages_accepted_total',
        'Messages that were accepted and charged, by kind and lane of the queue',
      ),
    ];
  }
}
