/**
 * The time zone in which most people of a country live, for countries with several zones.
 * Source: populations in the United Nations' World Urbanization Prospects, and zones in the IANA time zone database (zone.tab).
 */
const MAIN_ZONES: Readonly<Record<string, string>> = {
  AU: 'Australia/Sydney',
  BR: 'America/Sao_Paulo',
  CA: 'America/Toronto',
  CD: 'Africa/Kinshasa',
  CL: 'America/Santiago',
  EC: 'America/Guayaquil',
  ES: 'Europe/Madrid',
  FM: 'Pacific/Chuuk',
  GL: 'America/Nuuk',
  ID: 'Asia/Jakarta',
  KI: 'Pacific/Tarawa',
  KZ: 'Asia/Almaty',
  MN: 'Asia/Ulaanbaatar',
  MX: 'America/Mexico_City',
  NZ: 'Pacific/Auckland',
  PF: 'Pacific/Tahiti',
  PG: 'Pacific/Port_Moresby',
  PT: 'Europe/Lisbon',
  RU: 'Europe/Moscow',
  UM: 'Pacific/Wake',
  US: 'America/New_York',
};

/**
 * Returns the zone that decides if a number's zones have no allowed hour in common.
 * @param zones of the number; used if the country has one zone
 */
export function findMainZone(country: string | null, zones: readonly string[]): string {
  return (country !== null && MAIN_ZONES[country]) || (zones[0] ?? 'UTC');
}
