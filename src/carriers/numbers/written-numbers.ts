import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  isPossiblePhoneNumber,
  isSupportedCountry,
  Metadata,
  parsePhoneNumberFromString,
  validatePhoneNumberLength,
} from 'libphonenumber-js';
import metadata from 'libphonenumber-js/min/metadata';
import { callingCodeOf, isPhoneNumber, mainRegionOf, type PhoneNumber, SHORTEST_PHONE } from './phone-numbers.js';
import { otherWhatsappForm } from './whatsapp-numbers.js';

/** What a number is used for. A WhatsApp address need not be a phone number of its country. */
export type NumberKind = 'sms' | 'whatsapp';

/**
 * How numbers are read that are written without a plus sign: by the numbering plan of a country, which its ISO code names
 * (`US`), or as `international` or `digits`: they begin with their country calling code. Null: nobody has said it.
 */
export type NumbersWithoutPlus = string | null;

/** They begin with their country calling code, as in the contract of the API. */
export const INTERNATIONAL = 'international';

/** The same of digits alone; with blanks or punctuation nobody has said it. So a program writes them to the API. */
export const DIGITS_ONLY = 'digits';

/** A number as it was read, or the rule that it breaks, as it follows a field's name. */
export type ReadNumber =
  | {
      /** With country code, without a plus sign. */
      digits: string;
    }
  | { reason: string };

export const NEEDS_COUNTRY = 'is written without + and its country code, and no country was chosen to read it by';
const NO_NUMBER = 'must be a phone number, such as +1 415 555 2671';
const ROUNDED = 'was rounded by a spreadsheet: format the column as text and enter it again';
const HAS_EXTENSION = 'has an extension, which no message can go to';
const TWO_NUMBERS = 'holds more than one number: keep one of them';
/** The rule of fields that people write numbers into. */
export const WRITTEN_PHONE_RULE =
  'must be a phone number with + and its country code, such as +1 415 555 2671; without + digits alone, with the country code';

/** Marks of direction, and blanks that are not seen, stand around numbers that were copied from elsewhere. */
const UNSEEN = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
/** 4.91512E+11 */
const SCIENTIFIC = /^\d[.,]?\d*E\+?\d+$/i;
const PUNCTUATION = /[\s().\-/\u2010-\u2015\u00A0]/g;

/** Most digits of an area code with the zero before it, as `0761/1234` has it. What is longer before a slash is a whole number. */
const LONGEST_AREA = 6;

/** Whether a text holds a second number behind a slash, as `0761 1234 / 1235` does. Read as one, it would be a stranger's. */
function holdsTwoNumbers(tidied: string): boolean {
  const [before = '', ...others] = tidied.split('/').map((each) => each.replace(/\D/g, ''));
  if (others.length === 0) return false;
  const code = tidied.startsWith('+') ? (callingCodeOf(before) ?? '') : '';
  return others.length > 1 || before.length - code.length > LONGEST_AREA;
}

/** The ISO codes of all countries that numbers can be read by. */
export const REGIONS: readonly string[] = getCountries();

/** Whether a text says how numbers without a plus sign are read. */
export function isNumbersWithoutPlus(text: string): boolean {
  return text === INTERNATIONAL || isSupportedCountry(text);
}

/** A number without what is not seen, and with a plus sign where it begins with one of another form, or with 00. */
function tidy(text: string): string {
  const visible = text.replace(UNSEEN, '').normalize('NFKC').trim();
  const spoken = visible.replace(/^tel:/i, '').replace(/^(\d{7,15})[.,]0$/, '$1');
  return spoken.replace(/^00(?=[\s().\-/]*[1-9])/, '+').replace(/^\(\+/, '+(');
}

/** Whether a text can only be read by who knows how numbers without a plus sign are meant. */
export function lacksPlus(text: string): boolean {
  const tidied = tidy(text);
  return !tidied.startsWith('+') && isNumberLike(tidied);
}

/** Whether nothing but digits and the punctuation between them stands there. */
function isNumberLike(text: string): boolean {
  return /^\d+$/.test(text.replace(PUNCTUATION, ''));
}

/**
 * Reads a phone number as people write it: in any usual form with a plus sign or 00, without one as it is said. Only numbers
 * of a length that their country knows are read, except on WhatsApp, whose digits may be no phone number.
 */
export function readWrittenNumber(text: string, without: NumbersWithoutPlus, kind: NumberKind = 'sms'): ReadNumber {
  const tidied = tidy(text);
  if (tidied === '') return { reason: 'is required' };
  if (SCIENTIFIC.test(tidied)) return { reason: ROUNDED };
  if (holdsTwoNumbers(tidied)) return { reason: TWO_NUMBERS };
  if (tidied.startsWith('+')) return orWhatsapp(readInternational(tidied), tidied, kind);
  if (!/\d/.test(tidied)) return { reason: NO_NUMBER };
  const isContracted = without === DIGITS_ONLY && /^\d+$/.test(tidied);
  if (!isContracted && (without === null || !isNumbersWithoutPlus(without))) {
    return { reason: isNumberLike(tidied) ? NEEDS_COUNTRY : NO_NUMBER };
  }
  const digits = tidied.replace(PUNCTUATION, '');
  // In digits that nobody wrote as international, a missing country code is likelier than an unusual number.
  const isKnownForm = kind === 'whatsapp' && otherWhatsappForm(digits) !== null;
  if (without !== INTERNATIONAL && without !== DIGITS_ONLY) {
    const hasCode = digits.startsWith(getCountryCallingCode(without as CountryCode));
    return isKnownForm && hasCode ? { digits } : readNational(tidied, without as CountryCode);
  }
  if (digits.startsWith('0')) return { reason: 'begins with 0, as no country calling code does' };
  const read = readInternational(`+${digits}`);
  return isContracted || isKnownForm ? orWhatsapp(read, digits, kind) : read;
}

/** For WhatsApp, accepts digits that are not a phone number of their country. */
function orWhatsapp(read: ReadNumber, text: string, kind: NumberKind): ReadNumber {
  if ('digits' in read || kind !== 'whatsapp') return read;
  const digits = text.replace(/^\+/, '').replace(PUNCTUATION, '');
  return isPhoneNumber(digits, 'calling-code') ? { digits } : read;
}

/**
 * Reads a recipient as imports do, by the numbering plan of a country.
 * @param country ISO 3166 alpha-2
 * @returns null if it is not a phone number
 */
export function parseWrittenNumber(text: string, country: string, kind: NumberKind): PhoneNumber | null {
  const read = readWrittenNumber(text, country, kind);
  // A numbering plan also has numbers too short for a recipient.
  if (
    !('digits' in read) ||
    !(kind === 'whatsapp' ? isPhoneNumber(read.digits, 'calling-code') : isPossible(read.digits))
  )
    return null;
  return { digits: read.digits, plus: text.trimStart().startsWith('+') };
}

function readInternational(text: string): ReadNumber {
  const written = text.slice(1).replace(PUNCTUATION, '');
  const code = /^\d+$/.test(written) ? callingCodeOf(written) : null;
  // What nearly all are; the parser takes fifty times as long.
  if (code !== null && written[code.length] !== '0' && lengthsOf(code).has(written.length - code.length)) {
    return { digits: written };
  }
  if (/^\d+$/.test(written) && written.length < SHORTEST_PHONE) return { reason: 'is too short for a phone number' };
  if (/^\d+$/.test(written) && code === null) return { reason: 'must begin with an assigned country calling code' };
  const number = parsePhoneNumberFromString(text, { extract: false });
  if (!number) return { reason: code === null ? NO_NUMBER : lengthRule(`+${written}`, code) };
  if (number.ext) return { reason: HAS_EXTENSION };
  const read = number.number.slice(1);
  // The parser makes other changes too, which some carriers do not: only a zero of dialling within the country goes.
  const isZeroDropped = code !== null && written === `${code}0${read.slice(code.length)}`;
  const digits = isZeroDropped || !/^\d+$/.test(written) ? read : written;
  if (!isPossible(digits)) return { reason: lengthRule(`+${digits}`, code ?? number.countryCallingCode) };
  return { digits };
}

/** What it says first is what it would be called from within the country. */
function readNational(text: string, country: CountryCode): ReadNumber {
  const code = getCountryCallingCode(country);
  const digits = text.replace(PUNCTUATION, '');
  const number = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
  if (number?.ext) return { reason: HAS_EXTENSION };
  const isNational = number?.isPossible() ?? false;
  // Whoever dials within such a country begins with its prefix: without it, the country code stands there.
  const hasCode = digits.startsWith(code) && isPossible(digits) && (!isNational || prefixOf(country) === '0');
  if (hasCode) return { digits };
  if (!number) return { reason: /^\d+$/.test(digits) ? lengthRule(text, code, country) : NO_NUMBER };
  if (!isNational) return { reason: lengthRule(text, code, country) };
  return { digits: number.number.slice(1) };
}

function isPossible(digits: string): boolean {
  return digits.length >= SHORTEST_PHONE && digits.length <= 15 && isPossiblePhoneNumber(`+${digits}`);
}

/** The prefix of dialling within a country; '' where it has none. */
function prefixOf(country: CountryCode): string {
  const { countries } = metadata as unknown as { countries: Record<string, readonly unknown[]> };
  const PREFIX = 5;
  return String(countries[country]?.[PREFIX] ?? '');
}

function lengthRule(text: string, code: string, country?: CountryCode): string {
  const place = country ?? mainRegionOf(code)?.region;
  const whose = place ? `${countryName(place)} (+${code})` : `+${code}`;
  const problem = validatePhoneNumberLength(text, { defaultCountry: country });
  if (problem === 'TOO_SHORT') return `is too short for ${whose}`;
  if (problem === 'TOO_LONG') return `is too long for ${whose}`;
  return `has a length that no number of ${whose} has`;
}

const LENGTHS = new Map<string, ReadonlySet<number>>();

/** How many digits numbers behind a calling code may have. */
function lengthsOf(code: string): ReadonlySet<number> {
  const known = LENGTHS.get(code);
  if (known) return known;
  const numbering = new Metadata();
  // A calling code does as well as a country.
  numbering.selectNumberingPlan(code as CountryCode);
  const lengths = new Set(
    numbering.numberingPlan?.possibleLengths().filter((each) => code.length + each >= SHORTEST_PHONE),
  );
  LENGTHS.set(code, lengths);
  return lengths;
}

/** ISO code of the country of a number, as far as its digits tell; null where they tell none, or it is of no country. */
export function regionOfNumber(digits: string): string | null {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (number?.country) return number.country;
  const main = mainRegionOf(callingCodeOf(digits) ?? '');
  return main && !main.isShared ? main.region : null;
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

/** A country as it is called in English. */
export function countryName(region: string): string {
  return NAMES.of(region) ?? region;
}

/** The calling code of a country, without a plus sign. */
export function callingCodeOfRegion(region: string): string {
  return getCountryCallingCode(region as CountryCode);
}

/**
 * The digits of a number that somebody wrote into a field: in any usual form with a plus sign or 00, or digits alone, which
 * stay what they are. Whether they make a phone number is checked by who uses them.
 * @returns null where it has other characters, or punctuation and no plus sign
 */
export function digitsOfWritten(text: string): string | null {
  const tidied = tidy(text);
  if (/^\d+$/.test(tidied)) return tidied;
  if (!tidied.startsWith('+') || holdsTwoNumbers(tidied)) return null;
  const read = readInternational(tidied);
  if ('digits' in read) return read.digits;
  const digits = tidied.slice(1).replace(PUNCTUATION, '');
  return /^\d+$/.test(digits) ? digits : null;
}
