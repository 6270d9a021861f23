import type { Person } from './person.js';

/** The digits of a text, as SQL: without all that may stand between them, and those of another width as the usual ones. */
export function digitsIn(text: string): string {
  return `regexp_replace(normalize(${text}, NFKC), '[^0-9]+', '', 'g')`;
}

/** All that the digits of a number may be when it is written with its country code; none of who is known by an id. */
export function writtenDigits({ phone, callingCode }: Pick<Person, 'phone' | 'callingCode'>): string[] {
  if (!/^\d+$/.test(phone)) return [];
  // As in +44 (0)7700 900123.
  return [phone, `${callingCode}0${phone.slice(callingCode.length)}`];
}
