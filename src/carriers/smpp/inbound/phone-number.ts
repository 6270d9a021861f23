import type { SmppSettings } from '../settings.js';
import { TON } from '../wire/field-values.js';

const SHORT_CODE_DIGITS = 6;

export interface InboundNumber {
  number: string;
  /** It is in national form, without its leading zero, and the country is not known. */
  isNational: boolean;
}

/**
 * A sender or recipient of an inbound message as digits with country code where it can be told; otherwise as the SMSC
 * wrote it, such as a short code or a name.
 * @param ton its type of number
 */
export function inboundNumber(
  address: string,
  ton: number,
  { countryCallingCode }: Pick<SmppSettings, 'countryCallingCode'>,
): InboundNumber {
  const number = address.trim().replace(/^(\+|00)(?=[1-9])/, '');
  if (ton === TON.alphanumeric || !/^\d+$/.test(number)) return { number, isNational: false };
  // No number with its country code begins with a zero, whatever its type says.
  if (ton !== TON.national && !/^0[1-9]\d{5,}$/.test(number)) return { number, isNational: false };
  // A short code has no country.
  if (!countryCallingCode && number.length <= SHORT_CODE_DIGITS && !number.startsWith('0')) {
    return { number, isNational: false };
  }
  const national = number.replace(/^0/, '');
  return countryCallingCode
    ? { number: countryCallingCode + national, isNational: false }
    : { number: national, isNational: true };
}
