import type { Person } from './person.js';

/** Builds the SQL expression for the digits of a text, with full-width digits as ASCII. */
export function digitsSql(text: string): string {
  return `regexp_replace(normalize(${text}, NFKC), '[^0-9]+', '', 'g')`;
}

/** Empty for a user ID. */
export function listWrittenDigits({ address, callingCode }: Pick<Person, 'address' | 'callingCode'>): string[] {
  if (!/^\d+$/.test(address)) return [];
  // The second form is +44 (0)7700 900123.
  return [address, `${callingCode}0${address.slice(callingCode.length)}`];
}
