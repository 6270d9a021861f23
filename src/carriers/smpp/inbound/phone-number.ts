import { toInternational } from '../../numbers/national-numbers.js';
import type { SmppSettings } from '../settings.js';
import { TON } from '../wire/field-values.js';

export interface InboundNumber {
  /** Digits with country code. A number that cannot be normalized stays as the SMSC wrote it. */
  number: string;
  /** True if the country is unknown because the setting countryCallingCode is missing. */
  isNational: boolean;
}

/** Short codes, names, and national numbers of an invalid length for the configured country stay unchanged. */
export function normalizeInboundNumber(
  address: string,
  ton: number,
  { countryCallingCode }: Pick<SmppSettings, 'countryCallingCode'>,
): InboundNumber {
  const number = address.trim().replace(/^(\+|00)(?=[1-9])/, '');
  const isInternational = number !== address.trim();
  if (ton === TON.alphanumeric || isInternational || !/^\d+$/.test(number)) return { number, isNational: false };
  // No country code starts with zero, so a leading zero means national form even if the TON says international.
  const isNational = ton === TON.national || /^0[1-9]\d{5,}$/.test(number);
  if (!isNational || countryCallingCode === undefined) return { number, isNational };
  return { number: toInternational(number, countryCallingCode) ?? number, isNational: false };
}
