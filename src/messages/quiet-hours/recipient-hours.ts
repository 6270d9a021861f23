import { findCountry } from '../../carriers/numbers/countries.js';
import { findMainTimeZone, findTimeZones } from '../../carriers/numbers/time-zones.js';
import { extractUserId } from '../../carriers/numbers/user-ids.js';
import { findOffset, formatTime, isTimeZone, toLocalTime } from './local-time.js';
import { findHours, type Hours } from './open-hours.js';
import type { QuietRule } from './rule.js';
import { findUsRegion } from './rules/area-codes.js';

const ALWAYS_OPEN: Hours = { isOpen: true, until: null };

/**
 * Decides whether a recipient may get a message at a moment. A recipient without a known time zone always may.
 * @param recipient digits with country code, or a WhatsApp user ID
 * @param contactZone time zone that was set for the contact, or null
 * @param instant milliseconds since 1970
 */
export function findRecipientHours(
  rules: readonly QuietRule[],
  { recipient, contactZone }: { recipient: string; contactZone: string | null },
  instant: number,
): Hours {
  const isNumber = extractUserId(recipient) === null;
  const country = isNumber ? findCountry(recipient) : null;
  const region = isNumber ? findUsRegion(recipient) : null;
  const applicable = rules.filter(
    (rule) =>
      (rule.countries.length === 0 || (country !== null && rule.countries.includes(country))) &&
      (rule.region === null || rule.region === region),
  );
  const hasZone = contactZone !== null && isTimeZone(contactZone);
  const zones = hasZone ? [contactZone] : isNumber ? findTimeZones(recipient) : [];
  const [firstZone] = zones;
  if (applicable.length === 0 || firstZone === undefined) return ALWAYS_OPEN;
  const mainZone = hasZone ? contactZone : (findMainTimeZone(country ?? '') ?? firstZone);
  return findHours(applicable, zones, mainZone, instant);
}

export interface HoldReason {
  heldUntil: Date;
  zone: string;
  rule: string;
  purpose: string;
}

/** For example `Held until 08:00 Europe/Paris: quiet hours, FR marketing.` */
export function describeHold({ heldUntil, zone, rule, purpose }: HoldReason): string {
  const instant = heldUntil.getTime();
  const time = formatTime(toLocalTime(instant + findOffset(zone, instant)));
  return `Held until ${time} ${zone}: quiet hours, ${rule} ${purpose}.`;
}
