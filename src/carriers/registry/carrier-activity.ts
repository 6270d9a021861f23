import type { Clock } from '../../platform/clock.js';
import { Tally } from '../../platform/metrics/tally.js';
import { type CarrierError, NOT_SUBMITTED } from '../carrier-error.js';

interface Activity {
  inHand: number;
  acceptedCount: number;
  lastError: { text: string; at: Date } | null;
}

/** Counts since the last call of `collect`. */
export interface CarrierActivityCount {
  /** Number of submitted messages for which the carrier's response is pending. */
  inHand: number;
  acceptedCount: number;
  /** Last error of the carrier itself, as opposed to a rejection of a single message. */
  lastError: { text: string; at: Date } | null;
}

export class CarrierActivity {
  /**
   * Counts by result: `taken`, `refused` (permanently), `failed` (may be retried), `unknown` (response lost) and
   * `not_tried` (carrier down or throttling us).
   */
  readonly outcomes = new Tally('carrier', 'outcome');
  readonly #carriers = new Map<string, Activity>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  recordSubmission(carrier: string): void {
    this.#getActivity(carrier).inHand += 1;
  }

  recordAcceptance(carrier: string): void {
    const activity = this.#getActivity(carrier);
    activity.inHand -= 1;
    activity.acceptedCount += 1;
    this.outcomes.add(carrier, 'taken');
  }

  recordFailure(carrier: string, error: CarrierError): void {
    const { code, message, retryable, channelPaused } = error;
    const activity = this.#getActivity(carrier);
    activity.inHand -= 1;
    this.outcomes.add(carrier, classifyFailure(error));
    if (retryable && !channelPaused && code !== NOT_SUBMITTED) {
      activity.lastError = { text: `${code}: ${message}`, at: this.#clock.now() };
    }
  }

  /** Unanswered submissions by carrier. */
  listInHand(): [carrier: string, messages: number][] {
    return [...this.#carriers].map(([carrier, { inHand }]) => [carrier, inHand]);
  }

  collect(carrier: string): CarrierActivityCount {
    const activity = this.#getActivity(carrier);
    const collected = { ...activity };
    activity.acceptedCount = 0;
    return collected;
  }

  #getActivity(carrier: string): Activity {
    const existing = this.#carriers.get(carrier);
    if (existing) return existing;
    const activity = { inHand: 0, acceptedCount: 0, lastError: null };
    this.#carriers.set(carrier, activity);
    return activity;
  }
}

function classifyFailure({ answerLost, notTried, retryable }: CarrierError): string {
  if (answerLost) return 'unknown';
  if (notTried) return 'not_tried';
  return retryable ? 'failed' : 'refused';
}
