import { readFileSync } from 'node:fs';

/**
 * Reads the time zones of each country from the system's tzdata package.
 * @returns {Map<string, string[]>} by ISO 3166 code
 */
export function readZonesByCountry() {
  const zones = new Map();
  for (const line of readFileSync('/usr/share/zoneinfo/zone.tab', 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [country, , zone] = line.split('\t');
    zones.set(country, [...(zones.get(country) ?? []), zone]);
  }
  return zones;
}
