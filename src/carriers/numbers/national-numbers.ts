import { type CountryCode, Metadata, parsePhoneNumberFromString } from 'libphonenumber-js';
import { isPhoneNumber } from './phone-numbers.js';

const LONGEST_SHORT_CODE = 6;

/**
 * @param callingCode without a plus sign
 * @returns digits with calling code; null if the length is impossible in that country, as for short codes such as 10086
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

/** About as short as short codes, as in the Faroe Islands. */
function hasShortNumbers(callingCode: string): boolean {
  const numbering = new Metadata();
  // The plan is undefined for unassigned codes.
  numbering.selectNumberingPlan(callingCode as CountryCode);
  const lengths = numbering.numberingPlan?.possibleLengths() ?? [];
  return lengths.length > 0 && Math.max(...lengths) <= LONGEST_SHORT_CODE + 1;
}
