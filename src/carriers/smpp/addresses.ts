import type { SmppSettings } from './settings.js';

/** Type of number and numbering plan (SMPP 3.4 §5.2.5, §5.2.6). */
const TON = { unknown: 0, international: 1, national: 2, networkSpecific: 3, alphanumeric: 5 } as const;
const NPI = { unknown: 0, isdn: 1 } as const;

/** Digits of a number of a country (E.164 §6.2.1); shorter ones are short codes of a network. */
const INTERNATIONAL = /^\+?[1-9]\d{6,14}$/;
const SHORT_CODE = /^\d{1,6}$/;

export interface Address {
  ton: number;
  npi: number;
  address: string;
}

/**
 * A sender as the SMSC is told it: a number without its plus sign is international, up to six digits are a short code,
 * all else is alphanumeric.
 */
export function sourceAddress(from: string, { sourceTon, sourceNpi }: SmppSettings): Address {
  const guessed = guess(from);
  return { ...guessed, ton: sourceTon ?? guessed.ton, npi: sourceNpi ?? guessed.npi };
}

function guess(from: string): Address {
  if (INTERNATIONAL.test(from)) return { ton: TON.international, npi: NPI.isdn, address: from.replace('+', '') };
  if (SHORT_CODE.test(from)) return { ton: TON.networkSpecific, npi: NPI.unknown, address: from };
  return { ton: TON.alphanumeric, npi: NPI.unknown, address: from };
}

/**
 * A sender or recipient of an inbound message as digits with country code where it can be told; otherwise as the SMSC
 * wrote it, such as a short code or a name.
 */
export function inboundNumber(address: string, ton: number, { countryCallingCode }: SmppSettings): string {
  const number = address.trim().replace(/^(\+|00)(?=[1-9])/, '');
  if (ton === TON.alphanumeric || !/^\d+$/.test(number) || !countryCallingCode) return number;
  const isNational = ton === TON.national || (ton !== TON.international && /^0[1-9]\d{5,}$/.test(number));
  return isNational ? countryCallingCode + number.replace(/^0/, '') : number;
}
