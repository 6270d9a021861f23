import { describe, expect, it } from 'vitest';
import {
  findWatch,
  getSpanEnd,
  isGuarded,
  listGuards,
  type SpendGuard,
  withKey,
} from '../../src/accounts/guard/guard.js';

const createGuard = (overrides: Partial<SpendGuard> = {}): SpendGuard => ({
  allowed: [],
  refusesRisky: true,
  limits: [],
  ...overrides,
});

describe('getSpanEnd', () => {
  it.each([
    ['hour', '2027-01-15T12:34:56.789Z', '2027-01-15T13:00:00.000Z'],
    ['hour', '2027-12-31T23:00:00.000Z', '2028-01-01T00:00:00.000Z'],
    ['day', '2027-01-15T12:34:56.789Z', '2027-01-16T00:00:00.000Z'],
    ['day', '2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00.000Z'],
    ['month', '2027-01-15T12:34:56.789Z', '2027-02-01T00:00:00.000Z'],
    ['month', '2027-01-31T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
    ['month', '2027-12-15T12:00:00.000Z', '2028-01-01T00:00:00.000Z'],
  ] as const)('ends the %s of %s at %s', (span, now, end) => {
    expect(getSpanEnd(span, new Date(now)).toISOString()).toBe(end);
  });
});

describe('spending guards', () => {
  it('of the account and of the key both apply, each with its owner', () => {
    const [accountGuard, keyGuard] = [createGuard({ allowed: ['DE'] }), createGuard({ allowed: ['FR'] })];
    expect(listGuards({ spendGuard: accountGuard, key: { id: 'k', guard: keyGuard } })).toEqual([
      { keyId: null, guard: accountGuard },
      { keyId: 'k', guard: keyGuard },
    ]);
    expect(listGuards({ spendGuard: accountGuard, key: { id: 'k', guard: null } })).toEqual([
      { keyId: null, guard: accountGuard },
    ]);
    expect(listGuards(withKey({ spendGuard: null }, 'k', keyGuard))).toEqual([{ keyId: 'k', guard: keyGuard }]);
    expect(listGuards({})).toEqual([]);
  });

  it('apply only if the account or the key has one', () => {
    expect(isGuarded({ spendGuard: createGuard() })).toBe(true);
    expect(isGuarded({ spendGuard: null, key: { id: 'k', guard: createGuard() } })).toBe(true);
    expect(isGuarded({ spendGuard: null, key: { id: 'k', guard: null } })).toBe(false);
    expect(isGuarded({})).toBe(false);
  });

  it('enable watching for an account, never for a single key', () => {
    const watch = { holdMinutes: 20, safe: [] };
    expect(findWatch({ spendGuard: createGuard({ watch }) })).toEqual(watch);
    expect(findWatch({ spendGuard: createGuard(), key: { id: 'k', guard: createGuard({ watch }) } })).toBeNull();
    expect(findWatch({})).toBeNull();
  });
});
