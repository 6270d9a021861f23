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
])('the address %s may be held: %s', (address, expected) => {
  expect(isWatched(watch, address)).toBe(expected);
  expect(isWatched(null, address)).toBe(false);
});

describe('holds', () => {
  const heldUntil = new Date('2027-01-15T13:00:00.000Z');
  const createHold = (accountId: string, prefix: string, isReleased = false): HoldRow => ({
    ...{ accountId, prefix, reason: 'receipts', until: heldUntil, isReleased },
  });
  const firstHold = createHold('one', '40799');
  const holds = new Holds([
    firstHold,
    createHold('two', '40799', true),
    createHold('three', ''),
    createHold('four', '4079900'),
  ]);

  it('a hold covers numbers of its account with the same prefix', () => {
    expect(holds.findActive('one', '40799000001')).toEqual(firstHold);
    expect(holds.findActive('one', '40798000001')).toBeNull();
    expect(holds.findActive('other', '40799000001')).toBeNull();
    expect(holds.findActive('four', '40799100001')).toBeNull();
  });

  it('a released hold, and one with an empty prefix, cover nothing', () => {
    expect(holds.findActive('two', '40799000001')).toBeNull();
    expect(holds.findActive('three', '40799000001')).toBeNull();
    const bothHolds = new Holds([firstHold, createHold('one', '4079900', true)]);
    expect([bothHolds.findActive('one', '40799000001'), bothHolds.findActive('one', '40799900001')]).toEqual([
      null,
      firstHold,
    ]);
  });

  it('a released hold exempts only numbers of its account from monitoring', () => {
    expect(holds.isReleased('two', '40799000001')).toBe(true);
    expect(holds.isReleased('two', '40798000001')).toBe(false);
    expect(holds.isReleased('one', '40799000001')).toBe(false);
  });
});
