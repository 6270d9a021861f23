import type { Clock } from '../../platform/clock.js';
import { Tally } from '../../platform/metrics/tally.js';
import { type CarrierError, NOT_SUBMITTED } from '../carrier-error.js';

interface Activity {
  inHand: number;
  taken: number;
  lastError: { text: string; at: Date } | null;
}

/** What one carrier did since it was asked the last time. */
export interface CarrierActivityCount {
  /** Messages that were handed to it and that it has not answered. */
  inHand: number;
  /** Messages that it took since then. */
  taken: number;
  /** The last error of its own: one that another try may mend, not the refusal of a message. */
  lastError: { text: string; at: Date } | null;
}

/** Counts what the carriers of a process do. */
export class CarrierActivity {
  /**
   * What came of handing messages over: `taken`; `refused` for good; `failed`, for this time; `unknown`, where the answer
   * was lost; `not_tried`, where the carrier was not asked, for it was down or held us back.
   */
  readonly outcomes = new Tally('carrier', 'outcome');
  readonly #carriers = new Map<string, Activity>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A message is handed to a carrier. */
  began(carrier: string): void {
    this.#of(carrier).inHand += 1;
  }

  /** It took the message. */
  took(carrier: string): void {
    const activity = this.#of(carrier);
    activity.inHand -= 1;
    activity.taken += 1;
    this.outcomes.add(carrier, 'taken');
  }

  /** It did not. */
  failed(carrier: string, error: CarrierError): void {
    const { code, message, retryable, channelPaused } = error;
    const activity = this.#of(carrier);
    activity.inHand -= 1;
    this.outcomes.add(carrier, outcomeOf(error));
    if (retryable && !channelPaused && code !== NOT_SUBMITTED) {
      activity.lastError = { text: `${code}: ${message}`, at: this.#clock.now() };
    }
  }

  /** How many messages each carrier has in hand. */
  inHand(): [carrier: string, messages: number][] {
    return [...this.#carriers].map(([carrier, { inHand }]) => [carrier, inHand]);
  }

  /** What a carrier did since the last call. */
  collect(carrier: string): CarrierActivityCount {
    const activity = this.#of(carrier);
    const collected = { ...activity };
    activity.taken = 0;
    return collected;
  }

  #of(carrier: string): Activity {
    const known = this.#carriers.get(carrier);
    if (known) return known;
    const made = { inHand: 0, taken: 0, lastError: null };
    this.#carriers.set(carrier, made);
    return made;
  }
}

function outcomeOf({ answerLost, notTried, retryable }: CarrierError): string {
  if (answerLost) return 'unknown';
  if (notTried) return 'not_tried';
  return retryable ? 'failed' : 'refused';
}
