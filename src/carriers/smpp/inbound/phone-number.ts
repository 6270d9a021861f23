import { toInternational } from '../../numbers/national-numbers.js';
import type { SmppSettings } from '../settings.js';
import { TON } from '../wire/field-values.js';

export interface InboundNumber {
  /** Without what precedes a country code: digits with country code, or as the SMSC wrote them. */
  number: string;
  /** The SMSC says that the number is in national form, and its country is not known here. */
  isNational: boolean;
}

/**
 * A sender or recipient of an inbound message. The country calling code of the settings is put before a national number if a number
 * of that country can have this length. Anything else stays as the SMSC wrote it, such as a short code or a name.
 * @param ton its type of number
 */
export function inboundNumber(
  address: string,
  ton: number,
  { countryCallingCode }: Pick<SmppSettings, 'countryCallingCode'>,
): InboundNumber {
  const number = address.trim().replace(/^(\+|00)(?=[1-9])/, '');
  const isInternational = number !== address.trim();
  if (ton === TON.alphanumeric || isInternational || !/^\d+$/.test(number)) return { number, isNational: false };
  // A number with its country code never begins with a zero, even if its type says that it is international.
  const isNational = ton === TON.national || /^0[1-9]\d{5,}$/.test(number);
  if (!isNational || countryCallingCode === undefined) return { number, isNational };
  return { number: toInternational(number, countryCallingCode) ?? number, isNational: false };
}
