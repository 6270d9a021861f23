import type { SmppSettings } from '../settings.js';
import { NPI, TON } from '../wire/field-values.js';
import type { Address } from '../wire/submit-sm.js';

/** Digits of a number of a country (E.164 §6.2.1); shorter ones are short codes of a network. */
const INTERNATIONAL = /^\+?[1-9]\d{6,14}$/;
const SHORT_CODE = /^\d{1,6}$/;

/**
 * A sender as the SMSC is told it: a number without its plus sign is international, up to six digits are a short code,
 * all else is alphanumeric. The operator's own type and plan go before these.
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
