import type { Person } from './person.js';

/** Builds an SQL expression that extracts the digits of a text and converts full-width digits to ASCII. */
export function digitsSql(text: string): string {
  return `regexp_replace(normalize(${text}, NFKC), '[^0-9]+', '', 'g')`;
}

export function listWrittenDigits({ address, callingCode }: Pick<Person, 'address' | 'callingCode'>): string[] {
  if (!/^\d+$/.test(address)) return [];
  // The second entry matches numbers written like +44 (0)7700 900123.
  return [address, `${callingCode}0${address.slice(callingCode.length)}`];
}
