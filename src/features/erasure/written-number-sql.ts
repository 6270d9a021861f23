import type { Person } from './person.js';

/** SQL. Full-width digits become ASCII. */
export function digitsIn(text: string): string {
  return `regexp_replace(normalize(${text}, NFKC), '[^0-9]+', '', 'g')`;
}

/** Empty for a user ID. */
export function writtenDigits({ address, callingCode }: Pick<Person, 'address' | 'callingCode'>): string[] {
  if (!/^\d+$/.test(address)) return [];
  return [address, `${callingCode}0${address.slice(callingCode.length)}`];
}
