import { type CountryCode, Metadata, parsePhoneNumberFromString } from 'libphonenumber-js';
import { isPhoneNumber } from './phone-numbers.js';

const LONGEST_SHORT_CODE = 6;

/**
 * Converts a national number to digits with calling code. Returns null if the length is impossible in that country, as
 * for short codes such as 10086.
 */
export function toInternational(national: string, callingCode: string): string | null {
  if (!isShortCode(national) || hasShortNumbers(callingCode)) {
    const number = parsePhoneNumberFromString(national, { defaultCallingCode: callingCode, extract: false });
    const digits = number?.number.slice(1) ?? '';
    if (number?.isPossible() && isPhoneNumber(digits, 'possible')) return digits;
  }
  return null;
}

function isShortCode(digits: string): boolean {
  return digits.length <= LONGEST_SHORT_CODE && !digits.startsWith('0');
}

/** In some countries, such as the Faroe Islands, phone numbers are about as short as short codes. */
function hasShortNumbers(callingCode: string): boolean {
  const numbering = new Metadata();
  // Codes that are not assigned have no numbering plan in libphonenumber.
  numbering.selectNumberingPlan(callingCode as CountryCode);
  const lengths = numbering.numberingPlan?.possibleLengths() ?? [];
  return lengths.length > 0 && Math.max(...lengths) <= LONGEST_SHORT_CODE + 1;
}
