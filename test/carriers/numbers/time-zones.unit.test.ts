import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js';
import { describe, expect, it } from 'vitest';
import { findMainTimeZone, findTimeZones } from '../../../src/carriers/numbers/time-zones.js';

/** Zones of other countries in libphonenumber's map, by calling code, and the country's own zone that replaces each. */
const REPLACED: Readonly<Record<string, string>> = {
  '211 Africa/Nairobi': 'Africa/Juba',
  '212 Atlantic/Canary': 'Africa/Casablanca',
  '213 Europe/Paris': 'Africa/Algiers',
  '218 Europe/Bucharest': 'Africa/Tripoli',
  '231 Atlantic/Reykjavik': 'Africa/Monrovia',
  '245 Atlantic/Reykjavik': 'Africa/Bissau',
  '291 Africa/Asmera': 'Africa/Asmara',
  '298 Atlantic/Faeroe': 'Atlantic/Faroe',
  '299 America/Godthab': 'America/Nuuk',
  '353 Europe/London': 'Europe/Dublin',
  '370 Europe/Bucharest': 'Europe/Vilnius',
  '371 Europe/Bucharest': 'Europe/Riga',
  '372 Europe/Bucharest': 'Europe/Tallinn',
  '373 Europe/Bucharest': 'Europe/Chisinau',
  '375 Europe/Moscow': 'Europe/Minsk',
  '505 America/Chicago': 'America/Managua',
  '52 America/New_York': 'America/Cancun',
  '54 America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  '686 Pacific/Enderbury': 'Pacific/Kanton',
  '691 Pacific/Ponape': 'Pacific/Pohnpei',
  '691 Pacific/Truk': 'Pacific/Chuuk',
  '7 Europe/Bucharest': 'Europe/Kaliningrad',
  '84 Asia/Bangkok': 'Asia/Ho_Chi_Minh',
  '850 Asia/Seoul': 'Asia/Pyongyang',
  '853 Asia/Shanghai': 'Asia/Macau',
  '91 Asia/Calcutta': 'Asia/Kolkata',
  '95 Asia/Rangoon': 'Asia/Yangon',
  '970 Europe/Bucharest': 'Asia/Gaza',
  '976 Asia/Choibalsan': 'Asia/Ulaanbaatar',
  '977 Asia/Katmandu': 'Asia/Kathmandu',
};

/** Prefixes for which the zones differ from those of Debian's package for another reason. */
const DIFFERENT: Readonly<Record<string, string>> = {
  '1246': 'Debian has the zones of all of +1 for mobile numbers of Barbados',
  '1441': 'Debian has the zones of all of +1 for mobile numbers of Bermuda',
  '1868': 'Debian has the zones of all of +1 for mobile numbers of Trinidad and Tobago',
  '1876': 'Debian has the zones of all of +1 for mobile numbers of Jamaica',
  '1437': 'Debian has Winnipeg for an area code of Toronto',
  '1480': 'a newer map has only Phoenix',
  '1520': 'a newer map has only Phoenix',
  '1602': 'a newer map has only Phoenix',
  '1928': 'a newer map has only Phoenix',
  '29938': 'the prefix has fixed lines of Nuuk and numbers of Internet telephony',
  '29939': 'the prefix has fixed lines of Nuuk and numbers of Internet telephony',
  '358': 'the prefix has fixed lines of the mainland and numbers of no area',
  '52': 'a newer map has the zones of 2022, when Mexico abolished daylight saving time except at its northern border',
  '599': 'the prefix belongs to Curaçao alone',
  '628': 'the prefix has mobile numbers and toll-free numbers',
  '689': 'the prefix has fixed lines of Tahiti and numbers of no area',
  '77': 'Debian has the zones of Russia for numbers of Internet telephony in Kazakhstan',
  '9767': 'the prefix has fixed lines of Ulaanbaatar and numbers of Internet telephony',
};

function listDebianSamples(): { number: string; zones: string[] }[] {
  const text = readFileSync(join(import.meta.dirname, 'debian-zones.json'), 'utf8');
  return Object.entries(JSON.parse(text) as Record<string, string>).flatMap(([zones, differences]) => {
    let number = 0;
    return differences.split(' ').map((difference) => {
      number += Number.parseInt(difference, 36);
      return { number: String(number), zones: zones.split(' ') };
    });
  });
}

const lengthsUpTo = (longest: number) => Array.from({ length: longest }, (_, index) => index + 1);

function toOwnZones(number: string, zones: readonly string[]): string[] {
  const ownZones = zones.map((zone) => {
    const keys = lengthsUpTo(3).map((length) => `${number.slice(0, length)} ${zone}`);
    return REPLACED[keys.find((key) => key in REPLACED) ?? ''] ?? zone;
  });
  return [...new Set(ownZones)].sort();
}

function hasKnownDifference(number: string): boolean {
  return lengthsUpTo(5).some((length) => number.slice(0, length) in DIFFERENT);
}

describe('time zones of a phone number', () => {
  it("are those of Debian's python3-phonenumbers, except for known reasons", () => {
    const samples = listDebianSamples();
    expect(samples).toHaveLength(10_000);
    // The older package does not know numbers of ranges that were assigned since.
    const recognized = samples.filter(({ zones }) => zones.join() !== 'Etc/Unknown');
    expect(recognized.length).toBeGreaterThan(9_500);
    const different = recognized.filter(
      ({ number, zones }) => toOwnZones(number, zones).join() !== [...findTimeZones(number)].sort().join(),
    );
    expect(different.length).toBeLessThan(100);
    expect(different.filter(({ number }) => !hasKnownDifference(number))).toEqual([]);
  });

  it.each([
    ['12125550123', ['America/New_York']],
    ['+12125550123', ['America/New_York']],
    ['442079460000', ['Europe/London']],
    ['212527000000', ['Africa/Casablanca']],
    ['61862000000', ['Australia/Adelaide', 'Australia/Perth']],
    // Mexican mobile numbers in the form before and after 2019.
    ['5216640000000', ['America/Tijuana']],
    ['526640000000', ['America/Tijuana']],
    // Satellite phones, and user IDs.
    ['8816000000', []],
    ['DE.1234567890', []],
  ])('of %s are %j', (number, zones) => {
    expect(findTimeZones(number)).toEqual(zones);
  });

  it('are all of the country for mobile and toll-free numbers, which belong to no area', () => {
    const mobile = findTimeZones('61491570006');
    expect(mobile).toEqual(expect.arrayContaining(['Australia/Perth', 'Australia/Sydney']));
    const tollFree = findTimeZones('18005550123');
    expect(tollFree).toEqual(expect.arrayContaining(['America/New_York', 'Pacific/Honolulu', 'Pacific/Guam']));
  });

  it('are zones that Node.js knows', () => {
    const zones = new Set(getCountries().flatMap((country) => findTimeZones(getCountryCallingCode(country))));
    expect(zones.size).toBeGreaterThan(200);
    for (const zone of zones) expect(() => new Intl.DateTimeFormat('en', { timeZone: zone })).not.toThrow();
  });
});

describe('the most populous time zone of a country', () => {
  it.each([
    ['AU', 'Australia/Sydney'],
    ['BR', 'America/Sao_Paulo'],
    ['CA', 'America/Toronto'],
    ['CD', 'Africa/Kinshasa'],
    ['CY', 'Asia/Nicosia'],
    ['ES', 'Europe/Madrid'],
    ['FR', 'Europe/Paris'],
    ['ID', 'Asia/Jakarta'],
    ['MX', 'America/Mexico_City'],
    ['RU', 'Europe/Moscow'],
    ['US', 'America/New_York'],
  ])('of %s is %s', (country, zone) => {
    expect(findMainTimeZone(country)).toBe(zone);
  });

  it('is known for every country with phone numbers, and a zone that Node.js knows', () => {
    for (const country of getCountries()) {
      const zone = findMainTimeZone(country);
      expect(zone, country).not.toBeNull();
      expect(() => new Intl.DateTimeFormat('en', { timeZone: zone ?? '' })).not.toThrow();
    }
    expect(findMainTimeZone('ZZ')).toBeNull();
  });
});
