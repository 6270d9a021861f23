import type { Metric } from '../../platform/metrics/metric.js';
import { Tally } from '../../platform/metrics/tally.js';

/** The step `passed_on` counts codes that a login system checks. */
export class VerificationTally {
  readonly #steps = new Tally('step', 'calling_code');

  add(step: 'sent' | 'passed_on' | 'checked' | 'approved', callingCode: string): void {
    this.#steps.add(step, callingCode, 1);
  }

  metrics(): Metric[] {
    return [
      this.#steps.toMetric(
        'heliograph_verifications_total',
        'Sign-in codes: sent, checked and approved, by country calling code; passed_on for codes that a login system creates and checks',
      ),
    ];
  }
}
