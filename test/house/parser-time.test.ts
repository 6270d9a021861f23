import { describe, expect, it } from 'vitest';
import { isPhoneNumber } from '../../src/carriers/numbers/phone-numbers.js';
import { readTwiml } from '../../src/features/webhooks/twilio/twiml.js';
import { TWIML_PIECES } from '../support/twiml-pieces.js';

/** Returns the shortest of several run times, because other processes slow some runs down. */
function measureFastest(runs: number, work: () => void): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

describe('the run time of parsers of external texts', () => {
  it('10,000 phone numbers are checked within 100 ms', () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => String(15005560000 + index));
    const check = () => expect(numbers.every((digits) => isPhoneNumber(digits, 'calling-code'))).toBe(true);
    expect(measureFastest(10, check)).toBeLessThan(100);
  });

  it.each([...TWIML_PIECES, '<Response><Message a="', '<a '.repeat(10)])(
    '64 KiB of %j as TwiML are read within 2 s',
    (piece) => {
      const text = `<${piece.repeat(64 * 1024).slice(0, 64 * 1024)}`;
      expect(measureFastest(2, () => readTwiml(text))).toBeLessThan(2_000);
    },
  );
});
