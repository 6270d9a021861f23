import { expect, it } from 'vitest';
import { readWrittenNumber } from '../../../src/carriers/numbers/written-numbers.js';

it.each([
  ['+49 171 1234567 ext. 5', 'international'],
  ['0171 1234567 ext. 5', 'DE'],
  ['(415) 555-2671 x123', 'US'],
])('%s is refused, because messages cannot be sent to extensions', (text, country) => {
  expect(readWrittenNumber(text, country)).toEqual({ reason: expect.stringContaining('extension') });
});
