import { createRequire } from 'node:module';
import { join } from 'node:path';
import metadata from 'libphonenumber-js/min/metadata';
import { readZonesByCountry } from './zone-tab.mjs';

/**
 * Countries and territories for which the other sources have no zone or not the most populous one.
 * Sources: CLDR 46, `timeZoneNames` (AC, TA, XK); Chuuk is the most populous state of Micronesia (census of 2010).
 */
const EXCEPTIONS = new Map([
  ['AC', 'Atlantic/St_Helena'],
  ['FM', 'Pacific/Chuuk'],
  ['TA', 'Atlantic/St_Helena'],
  ['XK', 'Europe/Belgrade'],
]);

/**
 * Finds the most populous time zone of each country that has phone numbers: the only one, or the one with the most people in
 * cities.
 * @param {string} packages folder in which city-timezones is installed
 * @returns {[country: string, zone: string][]} sorted by country
 */
export function findMainZones(packages) {
  const { cityMapping } = createRequire(join(packages, 'package.json'))('city-timezones');
  const byCountry = readZonesByCountry();
  const people = new Map();
  for (const { iso2, timezone, pop } of cityMapping) {
    people.set(`${iso2} ${timezone}`, (people.get(`${iso2} ${timezone}`) ?? 0) + pop);
  }
  return Object.keys(metadata.countries)
    .sort()
    .map((country) => {
      const count = (zone) => people.get(`${country} ${zone}`) ?? 0;
      const [main] = [...(byCountry.get(country) ?? [])].sort((left, right) => count(right) - count(left));
      const zone = EXCEPTIONS.get(country) ?? main;
      if (zone === undefined) throw new Error(`No time zone is known for ${country}.`);
      return [country, zone];
    });
}
