import { MAIN_ZONES } from './main-zones.js';
import { ZONE_PREFIXES } from './zone-prefixes.js';

const LONGEST_PREFIX = 9;

const ZONES_BY_PREFIX: ReadonlyMap<string, readonly string[]> = new Map(
  parseEntries(ZONE_PREFIXES).flatMap(([zones, prefixes]) => prefixes.map((prefix) => [prefix, zones.split(' ')])),
);

const MAIN_ZONE_BY_COUNTRY: ReadonlyMap<string, string> = new Map(
  parseEntries(MAIN_ZONES).flatMap(([zone, countries]) => countries.map((country) => [country, zone])),
);

function parseEntries(text: string): [key: string, values: string[]][] {
  return text
    .trim()
    .split(/[;\n]/)
    .map((entry) => {
      const [key = '', values = ''] = entry.split('|');
      return [key, values.split(' ')];
    });
}

/**
 * Finds the IANA time zones in which a phone number may be, from its longest known prefix. Numbers that belong to no area, such
 * as most mobile and all toll-free numbers, have all zones of their calling code. Satellite phones, other global services and
 * user IDs have none.
 * @param number digits with country code, with or without a plus sign
 */
export function findTimeZones(number: string): readonly string[] {
  const digits = toCurrentForm(number.startsWith('+') ? number.slice(1) : number);
  for (let length = Math.min(digits.length, LONGEST_PREFIX); length > 0; length--) {
    const zones = ZONES_BY_PREFIX.get(digits.slice(0, length));
    if (zones !== undefined) return zones;
  }
  return [];
}

/** WhatsApp still writes Mexican numbers with the 1 that was abolished in 2019. */
function toCurrentForm(digits: string): string {
  return /^521[2-9]\d{9}$/.test(digits) ? `52${digits.slice(3)}` : digits;
}

/**
 * Finds the time zone in which most people of a country live, or null for codes of no country.
 * @param country ISO 3166 code in upper case
 */
export function findMainTimeZone(country: string): string | null {
  return MAIN_ZONE_BY_COUNTRY.get(country) ?? null;
}
