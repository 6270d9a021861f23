import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { findCallingCode, findMainRegion } from './phone-numbers.js';

/**
 * Finds the country of a phone number, or null for global services. A number that is in no numbering plan is assigned to the main
 * country of its calling code.
 * @param number digits with country code
 * @returns ISO 3166 code
 */
export function findCountry(number: string): string | null {
  const main = findMainRegion(findCallingCode(number) ?? '');
  if (main === null || !main.isShared) return main?.region ?? null;
  return parsePhoneNumberFromString(`+${number}`)?.country ?? main.region;
}
