import { invalidField } from '../platform/errors/app-error.js';

const MICROS = 1_000_000n;
/** Amounts are limited to 10¹⁸ millionths, because a bigint column can store at most 9.2 × 10¹⁸. */
const MAX_UNITS = 1_000_000_000_000n;
const MAX_DIGITS = 30;

export const MAX_MICROS = 2n ** 63n - 1n;

const DECIMAL = /^(\d+)(?:\.(\d{1,6}))?$/;

/**
 * Parses a non-negative amount such as `12.34` into millionths of the currency unit.
 * @throws {RangeError}
 */
export function parseMoney(text: string): bigint {
  const [, units = '', decimals = ''] = DECIMAL.exec(text) ?? [];
  if (units === '') {
    throw new RangeError(`"${text}" is not an amount: write digits with at most 6 decimals, such as 12.34`);
  }
  // Check the length first, because converting very long digit strings to a bigint is slow.
  if (units.length > MAX_DIGITS || BigInt(units) > MAX_UNITS) {
    throw new RangeError(`"${text}" is too large: an amount has at most ${MAX_UNITS} units`);
  }
  return BigInt(units) * MICROS + BigInt(decimals.padEnd(6, '0'));
}

export function parseAmount(field: string, text: string): bigint {
  try {
    return parseMoney(text);
  } catch {
    throw invalidField(field, 'must be an amount such as 12.34: digits with at most 6 decimals');
  }
}

/** Formats an amount of money with two to six decimals. */
export function formatMoney(micros: bigint): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(7, '0');
  const decimals = digits.slice(-6).replace(/0{1,4}$/, '');
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${decimals}`;
}

/** JavaScript numbers are exact to a millionth for amounts up to 4 × 10⁹ currency units. */
export function moneyToNumber(micros: bigint): number {
  return Number(formatMoney(micros));
}
