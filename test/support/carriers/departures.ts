import { CarrierError } from '../../../src/carriers/carrier-error.js';
import type { Departure } from '../../../src/carriers/departure.js';
import { vendorCode } from '../../../src/carriers/failure-codes.js';

export interface TestDeparture extends Departure {
  checks: number;
  withhold(): void;
}

/** The error with which a carrier must reject a withheld message. */
export const WITHHELD = { code: 'OPTED_OUT', retryable: false, notTried: true, answerLost: false };

/** @param reads makes each check asynchronous, as if the check read the opt-outs first */
export function createTestDeparture({ reads = false } = {}): TestDeparture {
  let isWithheld = false;
  const require = () => {
    if (isWithheld) throw CarrierError.withheld(vendorCode(WITHHELD.code), 'The recipient opted out.');
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
