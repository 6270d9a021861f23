import type { SmppSettings } from '../settings.js';
import { NPI, TON } from '../wire/field-values.js';
import type { Address } from '../wire/submit-sm.js';

/** Length of international numbers, from E.164 §6.2.1. Shorter sender numbers are network-specific short codes. */
const INTERNATIONAL = /^\+?[1-9]\d{6,14}$/;
const SHORT_CODE = /^\d{1,6}$/;

/** TON and NPI from the settings take precedence over detected values. */
export function buildSourceAddress(from: string, { sourceTon, sourceNpi }: SmppSettings): Address {
  const detected = detectAddressType(from);
  return { ...detected, ton: sourceTon ?? detected.ton, npi: sourceNpi ?? detected.npi };
}

function detectAddressType(from: string): Address {
  if (INTERNATIONAL.test(from)) return { ton: TON.international, npi: NPI.isdn, address: from.replace('+', '') };
  if (SHORT_CODE.test(from)) return { ton: TON.networkSpecific, npi: NPI.unknown, address: from };
  return { ton: TON.alphanumeric, npi: NPI.unknown, address: from };
}
