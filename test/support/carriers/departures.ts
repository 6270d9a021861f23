import { CarrierError } from '../../../src/carriers/carrier-error.js';
import type { Departure } from '../../../src/carriers/departure.js';

export interface TestDeparture extends Departure {
  checks: number;
  withhold(): void;
}

/** The error with which a carrier must reject a withheld message. */
export const WITHHELD = { code: 'OPTED_OUT', retryable: false, notTried: true, answerLost: false };

/** @param reads whether each check reads the opt-outs first and therefore resolves later */
export function createTestDeparture({ reads = false } = {}): TestDeparture {
  let isWithheld = false;
  const require = () => {
    if (isWithheld) throw CarrierError.withheld(WITHHELD.code, 'The recipient opted out.');
  };
  const departure: TestDeparture = {
    checks: 0,
    withhold: () => {
      isWithheld = true;
    },
    check: () => {
      departure.checks += 1;
      if (!reads) return require() as undefined;
      return new Promise<void>((resolve) => setImmediate(resolve)).then(require);
    },
    require,
  };
  return departure;
}
