import { Metadata, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { createRandom } from './random.mjs';

/** Calling codes whose mobile numbers belong to an area (libphonenumber, `GEO_MOBILE_COUNTRIES`). */
const CODES_WITH_AREA_MOBILES = new Set(['52', '54', '55', '62', '86']);

const TRIES = 400;

const random = createRandom(38);

/** Appends random digits to a prefix, in one of the lengths of the country's numbers. */
export function completeNumber(code, prefix, next) {
  const plan = new Metadata();
  plan.selectNumberingPlan(code);
  const lengths = plan.numberingPlan.possibleLengths().filter((length) => length + code.length >= prefix.length);
  const length = code.length + (lengths[next(lengths.length)] ?? 0);
  let digits = prefix;
  while (digits.length < length) digits += next(10);
  return digits;
}

/**
 * Returns false if every valid number with this prefix is of a type that belongs to no area. Google's library uses the country's
 * zones for these numbers.
 */
export function isGeographic(code, prefix) {
  let isValid = false;
  for (let tries = 0; tries < TRIES; tries++) {
    const type = parsePhoneNumberFromString(`+${completeNumber(code, prefix, random)}`)?.getType();
    if (type === undefined) continue;
    isValid = true;
    if (type.startsWith('FIXED_LINE') || (type === 'MOBILE' && CODES_WITH_AREA_MOBILES.has(code))) return true;
  }
  return !isValid;
}
