import { expect, it } from 'vitest';
import type { Watch } from '../../../src/accounts/guard/guard.js';
import { isWatched } from '../../../src/messages/accept/guard/holds.js';

const watch: Watch = { holdMinutes: 60, safe: ['+4072200'] };

it.each([
  ['40799000001', true],
  ['40722000001', false],
  ['123456', false],
  ['00000000000', false],
  ['1234567890123456', false],
  ['Heliograph', false],
  ['US.1234567', false],
])('%s may be held: %s, as far as it is a number and not called safe', (address, expected) => {
  expect(isWatched(watch, address)).toBe(expected);
  expect(isWatched(null, address)).toBe(false);
});
