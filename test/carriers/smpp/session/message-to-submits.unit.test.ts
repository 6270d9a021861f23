import { describe, expect, it } from 'vitest';
import { validityPeriod } from '../../../../src/carriers/smpp/session/message-to-submits.js';

describe('the validity period', () => {
  const now = new Date('2027-01-15T12:00:00Z');
  it.each([
    [1_000, '000000000001000R'],
    [-5_000, '000000000001000R'],
    [48 * 3_600_000, '000002000000000R'],
    [400 * 86_400_000, '010105000000000R'],
  ])('of %i ms is %s', (milliseconds, expected) => {
    expect(validityPeriod(new Date(now.getTime() + milliseconds), now, 'relative')).toBe(expected);
  });

  it('may be left to the SMSC', () => {
    expect(validityPeriod(now, now, 'none')).toBe('');
  });
});
