import { toInternational } from '../../numbers/national-numbers.js';
import type { SmppSettings } from '../settings.js';
import { TON } from '../wire/field-values.js';

export interface InboundNumber {
  /** Digits with country code, or as the SMSC wrote it if it cannot be normalized. */
  number: string;
  /** The country is unknown because countryCallingCode is not set. */
  isNational: boolean;
}

/**
 * Short codes and names stay unchanged, as do national numbers whose length would be invalid in the configured country.
 */
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
