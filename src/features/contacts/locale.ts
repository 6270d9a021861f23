import { findCountry } from '../../carriers/numbers/countries.js';
import { findMainTimeZone, findTimeZones } from '../../carriers/numbers/time-zones.js';
import type { Locale, LocaleValue } from './locale-value.js';

/** Language and time zone as a contact has them, or null where they were not set. */
export interface StoredLocale {
  phone: string | null;
  language: string | null;
  timeZone: string | null;
}

/** Computed values are never stored, so that they stay correct when a contact's number or the data about numbers changes. */
export function resolveLocale({ phone, language, timeZone }: StoredLocale): Locale {
  const resolve = (value: string | null, compute: (phone: string) => string | null): LocaleValue | null => {
    if (value !== null) return { value, source: 'set' };
    const computed = phone === null ? null : compute(phone);
    return computed === null ? null : { value: computed, source: 'number' };
  };
  return { language: resolve(language, computeLanguage), timeZone: resolve(timeZone, computeTimeZone) };
}

/** The most widely used language of the number's country (Unicode CLDR, likely subtags), for example `pt` for Brazil. */
function computeLanguage(phone: string): string | null {
  const country = findCountry(phone);
  return country === null ? null : new Intl.Locale(`und-${country}`).maximize().language;
}

/** Of several possible time zones, the most populous one of the country if it is among them, otherwise the first one. */
function computeTimeZone(phone: string): string | null {
  const zones = findTimeZones(phone);
  if (zones.length <= 1) return zones[0] ?? null;
  const main = findMainTimeZone(findCountry(phone) ?? '');
  return main !== null && zones.includes(main) ? main : (zones[0] ?? null);
}
