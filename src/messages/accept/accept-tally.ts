import { AppError, type ErrorCode } from '../../platform/errors/app-error.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';
import { laneOf } from '../lanes.js';
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
  readonly #counted = new WeakSet<AppError>();
  readonly #holds = new Map<string, number>();

  /** Counts what a guard refused, once, whoever passes it on; other errors are no affair of it. */
  refused(error: unknown): void {
    if (!(error instanceof AppError) || this.#counted.has(error)) return;
    const reason = REASONS[error.code];
    if (!reason) return;
    this.#counted.add(error);
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
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
      this.#messages.metric(
        'heliograph_messages_accepted_total',
        'Messages that were accepted and charged, by kind and lane of the queue',
      ),
      byReason(
        'heliograph_guard_refusals_total',
        'Sends that the spending guard of their account or key refused, by reason',
        this.#refusals,
      ),
      byReason(
        'heliograph_guard_holds_total',
        'Ranges of numbers that were held for what looked like pumping, by reason',
        this.#holds,
      ),
    ];
  }
}

function byReason(name: string, help: string, counts: ReadonlyMap<string, number>): Metric {
  const read = () => [...counts].map(([reason, value]) => ({ labels: { reason }, value }));
  return { name, help, type: 'counter', labels: ['reason'], read };
}
