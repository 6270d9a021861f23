import { toInternational } from '../../numbers/national-numbers.js';
import type { SmppSettings } from '../settings.js';
import { TON } from '../wire/field-values.js';

export interface InboundNumber {
  /**
   * Digits with country code and without a `+` or `00` prefix, if the address could be normalized; otherwise as the
   * SMSC wrote it.
   */
  number: string;
  /** The number is in national form, and its country is unknown because countryCallingCode is not set. */
  isNational: boolean;
}

/**
 * Normalizes the sender or recipient of an inbound message. A national number gets the configured country calling
 * code if the result has a valid length for that country. Anything else, such as a short code or a name, stays
 * unchanged.
 * @param ton type of number
 */
export function normalizeInboundNumber(
  address: string,
  ton: number,
  { countryCallingCode }: Pick<SmppSettings, 'countryCallingCode'>,
): InboundNumber {
  const number = address.trim().replace(/^(\+|00)(?=[1-9])/, '');
  const isInternational = number !== address.trim();
  if (ton === TON.alphanumeric || isInternational || !/^\d+$/.test(number)) return { number, isNational: false };
  // Country codes never start with zero, so a leading zero means national form even if the TON says international.
  const isNational = ton === TON.national || /^0[1-9]\d{5,}$/.test(number);
  if (!isNational || countryCallingCode === undefined) return { number, isNational };
  return { number: toInternational(number, countryCallingCode) ?? number, isNational: false };
}
