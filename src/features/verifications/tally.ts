import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';

/** Counts the steps of sign-in codes: `sent`, `checked` and `approved`. */
export class VerificationTally {
  readonly #steps = new Tally('step', 'calling_code');

  add(step: 'sent' | 'checked' | 'approved', callingCode: string): void {
    this.#steps.add(step, callingCode, 1);
  }

  metrics(): Metric[] {
    return [
      this.#steps.metric(
        'heliograph_verifications_total',
        'Sign-in codes that were sent, checked and approved, by country calling code',
      ),
    ];
  }
}
