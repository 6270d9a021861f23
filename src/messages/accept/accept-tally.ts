import { AppError, type ErrorCode } from '../../platform/errors/app-error.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';
import { laneOf } from '../queue/lanes.js';
import type { PendingRequest } from './pending-request.js';

/** By the code of the refusal. */
const REASONS: Partial<Record<ErrorCode, string>> = {
  DESTINATION_REFUSED: 'destination',
  LIMIT_REACHED: 'limit',
  SENDING_HELD: 'hold',
};

/** Counts the messages that were accepted, and the sends that a guard refused. */
export class AcceptTally {
  readonly #messages = new Tally('kind', 'lane');
  readonly #refusals = new Map<string, number>();
  readonly #holds = new Map<string, number>();

  /** Counts what a guard refused; other errors are no affair of it. */
  refused(error: unknown): void {
    const reason = error instanceof AppError && REASONS[error.code];
    if (reason) this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
  }

  committed(requests: readonly PendingRequest[]): void {
    for (const { request, ids } of requests) this.#messages.add(request.kind, laneOf(request.priority), ids.length);
  }

  /** Counts numbers that are held from now on. */
  held(reason: string): void {
    this.#holds.set(reason, (this.#holds.get(reason) ?? 0) + 1);
  }

  metrics(): Metric[] {
    return [
      {
        name: 'heliograph_messages_accepted_total',
        help: 'Messages that were accepted and charged, by kind and lane of the queue',
        type: 'counter',
        labels: ['kind', 'lane'],
        read: () => this.#messages.samples(),
      },
      {
        name: 'heliograph_guard_refusals_total',
        help: 'Sends that the spending guard of their account or key refused, by reason',
        type: 'counter',
        labels: ['reason'],
        read: () => [...this.#refusals].map(([reason, value]) => ({ labels: { reason }, value })),
      },
      {
        name: 'heliograph_guard_holds_total',
        help: 'Ranges of numbers that were held for what looked like pumping, by reason',
        type: 'counter',
        labels: ['reason'],
        read: () => [...this.#holds].map(([reason, value]) => ({ labels: { reason }, value })),
      },
    ];
  }
}
