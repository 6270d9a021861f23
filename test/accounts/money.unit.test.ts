import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMoney, moneyToNumber, parseMoney } from '../../src/accounts/money.js';

describe('parseMoney', () => {
  it.each([
    ['0', 0n],
    ['12', 12_000_000n],
    ['12.3', 12_300_000n],
    ['12.34', 12_340_000n],
    ['0.000001', 1n],
    ['007.10', 7_100_000n],
    ['1000000000000', 1_000_000_000_000_000_000n],
  ])('parses %s', (text, micros) => {
    expect(parseMoney(text)).toBe(micros);
  });

  it.each(['', '.5', '5.', '-1', '+1', '1,5', '1e3', '0x10', ' 1', '1 ', '1.0000001', '1000000000001', 'NaN', '١'])(
    'refuses "%s"',
    (text) => {
      expect(() => parseMoney(text)).toThrow(RangeError);
    },
  );

  it.each(['1000000000001', '9223372036854.775807', '9'.repeat(1000)])('rejects %s as too large', (text) => {
    expect(() => parseMoney(text)).toThrow('is too large: an amount has at most 1000000000000 units');
  });
});

describe('formatMoney', () => {
  it.each([
    [0n, '0.00'],
    [1n, '0.000001'],
    [10_000n, '0.01'],
    [12_345_000n, '12.345'],
    [10_000_000_000n, '10000.00'],
    [-10_000n, '-0.01'],
  ])('writes %s millionths as %s', (micros, text) => {
    expect(formatMoney(micros)).toBe(text);
  });

  it('writes amounts that parseMoney reads back unchanged', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (micros) => {
        expect(parseMoney(formatMoney(micros))).toBe(micros);
      }),
    );
  });
});

describe('moneyToNumber', () => {
  it('returns numbers that print like the amount', () => {
    expect(moneyToNumber(9_999_990_000n)).toBe(9999.99);
    expect(JSON.stringify(moneyToNumber(300_000n))).toBe('0.3');
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 4n * 10n ** 15n }), (micros) => {
        expect(parseMoney(moneyToNumber(micros).toFixed(6))).toBe(micros);
      }),
    );
  });
});
