import { describe, expect, it } from 'vitest';
import { endOf, guardsOf, isGuarded, type SpendGuard, watchOf, withKey } from '../../src/accounts/guard/guard.js';

const guard = (more: Partial<SpendGuard> = {}): SpendGuard => ({
  allowed: [],
  refusesRisky: true,
  limits: [],
  ...more,
});

describe('endOf', () => {
  it.each([
    ['hour', '2027-01-15T12:34:56.789Z', '2027-01-15T13:00:00.000Z'],
    ['hour', '2027-12-31T23:00:00.000Z', '2028-01-01T00:00:00.000Z'],
    ['day', '2027-01-15T12:34:56.789Z', '2027-01-16T00:00:00.000Z'],
    ['day', '2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00.000Z'],
    ['month', '2027-01-15T12:34:56.789Z', '2027-02-01T00:00:00.000Z'],
    ['month', '2027-01-31T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
    ['month', '2027-12-15T12:00:00.000Z', '2028-01-01T00:00:00.000Z'],
  ] as const)('the %s of %s ends at %s', (span, now, end) => {
    expect(endOf(span, new Date(now)).toISOString()).toBe(end);
  });
});

describe('the guards of a send', () => {
  it("are the account's and the key's, each with its owner", () => {
    const [own, key] = [guard({ allowed: ['DE'] }), guard({ allowed: ['FR'] })];
    expect(guardsOf({ spendGuard: own, key: { id: 'k', guard: key } })).toEqual([
      { keyId: null, guard: own },
      { keyId: 'k', guard: key },
    ]);
    expect(guardsOf({ spendGuard: own, key: { id: 'k', guard: null } })).toEqual([{ keyId: null, guard: own }]);
    expect(guardsOf(withKey({ spendGuard: null }, 'k', key))).toEqual([{ keyId: 'k', guard: key }]);
    expect(guardsOf({})).toEqual([]);
  });

  it('are looked for only where there is one', () => {
    expect(isGuarded({ spendGuard: guard() })).toBe(true);
    expect(isGuarded({ spendGuard: null, key: { id: 'k', guard: guard() } })).toBe(true);
    expect(isGuarded({ spendGuard: null, key: { id: 'k', guard: null } })).toBe(false);
    expect(isGuarded({})).toBe(false);
  });

  it("watch an account, and not a key's sends alone", () => {
    const watch = { holdMinutes: 20, safe: [] };
    expect(watchOf({ spendGuard: guard({ watch }) })).toEqual(watch);
    expect(watchOf({ spendGuard: guard(), key: { id: 'k', guard: guard({ watch }) } })).toBeNull();
    expect(watchOf({})).toBeNull();
  });
});
