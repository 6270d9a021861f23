import { describe, expect, it } from 'vitest';
import type { Watch } from '../../../src/accounts/guard/guard.js';
import { type HoldRow, Holds, isWatched } from '../../../src/messages/accept/guard/holds.js';

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

describe('holds', () => {
  const until = new Date('2027-01-15T13:00:00.000Z');
  const hold = (accountId: string, prefix: string, isReleased = false): HoldRow => ({
    ...{ accountId, prefix, reason: 'receipts', until, isReleased },
  });
  const held = hold('one', '40799');
  const holds = new Holds([held, hold('two', '40799', true), hold('three', ''), hold('four', '4079900')]);

  it('are over the numbers of their own account that begin so', () => {
    expect(holds.over('one', '40799000001')).toEqual(held);
    expect(holds.over('one', '40798000001')).toBeNull();
    expect(holds.over('other', '40799000001')).toBeNull();
    expect(holds.over('four', '40799100001')).toBeNull();
  });

  it('that were released, or that have no digits, hold nothing', () => {
    expect(holds.over('two', '40799000001')).toBeNull();
    expect(holds.over('three', '40799000001')).toBeNull();
    const both = new Holds([held, hold('one', '4079900', true)]);
    expect([both.over('one', '40799000001'), both.over('one', '40799900001')]).toEqual([null, held]);
  });

  it('that were released keep only the numbers of their account from being looked at', () => {
    expect(holds.isReleased('two', '40799000001')).toBe(true);
    expect(holds.isReleased('two', '40798000001')).toBe(false);
    expect(holds.isReleased('one', '40799000001')).toBe(false);
  });
});
