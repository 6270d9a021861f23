import type { SmppSettings } from '../settings.js';
import { TON } from '../wire/field-values.js';

/**
 * A sender or recipient of an inbound message as digits with country code where it can be told; otherwise as the SMSC
 * wrote it, such as a short code or a name.
 * @param ton its type of number
 */
export function inboundNumber(address: string, ton: number, { countryCallingCode }: SmppSettings): string {
  const number = address.trim().replace(/^(\+|00)(?=[1-9])/, '');
  if (ton === TON.alphanumeric || !/^\d+$/.test(number) || !countryCallingCode) return number;
  const isNational = ton === TON.national || (ton !== TON.international && /^0[1-9]\d{5,}$/.test(number));
  return isNational ? countryCallingCode + number.replace(/^0/, '') : number;
}
