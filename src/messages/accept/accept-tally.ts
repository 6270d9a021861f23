import { AppError, type ErrorCode } from '../../platform/errors/app-error.js';
import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';
import { laneFor } from '../lanes.js';
import type { PendingRequest } from './pending-request.js';

const REASONS: Partial<Record<ErrorCode, string>> = {
  DESTINATION_REFUSED: 'destination',
  LIMIT_REACHED: 'limit',
  SENDING_HELD: 'hold',
  FREQUENCY_CAP: 'frequency_cap',
};

export class AcceptTally {
  readonly #messages = new Tally('kind', 'lane');
  readonly #refusals = new Map<string, number>();
  readonly #countedErrors = new WeakSet<AppError>();
  readonly #holds = new Map<string, number>();

  /** Counts each error object once, even if it is passed repeatedly. */
  countRefusal(error: unknown): void {
    if (!(error instanceof AppError) || this.#countedErrors.has(error)) return;
    const reason = REASONS[error.code];
    if (!reason) return;
    this.#countedErrors.add(error);
    this.#refusals.set(reason, (this.#refusals.get(reason) ?? 0) + 1);
  }

  countAccepted(requests: readonly PendingRequest[]): void {
    for (const { request, ids } of requests) this.#messages.add(request.kind, laneFor(request.priority), ids.length);
  }

  countHold(reason: string): void {
    this.#holds.set(reason, (this.#holds.get(reason) ?? 0) + 1);
  }

  metrics(): Metric[] {
    return [
      this.#messages.toMetric(
        'heliograph_messages_accepted_total',
        'Messages accepted and charged; lane urgent is priority 2 and 3, bulk is priority 0 and 1',
      ),
      buildReasonMetric(
        'heliograph_guard_refusals_total',
        'Sends that a spending guard or a frequency cap rejected: destination, limit, hold or frequency_cap',
        this.#refusals,
      ),
      buildReasonMetric(
        'heliograph_guard_holds_total',
        'Ranges of numbers put on hold because of suspected pumping: codes, country or receipts',
        this.#holds,
      ),
    ];
  }
}

function buildReasonMetric(name: string, help: string, counts: ReadonlyMap<string, number>): Metric {
  const read = () => [...counts].map(([reason, value]) => ({ labels: { reason }, value }));
  return { name, help, type: 'counter', labels: ['reason'], read };
}
