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
import type { ProblemKind } from '../../platform/errors/app-error.js';
import { findCallingCode, findMainRegion, isPhoneNumber, type PhoneNumber, SHORTEST_PHONE } from './phone-numbers.js';
import { findOtherWhatsappForm } from './whatsapp-numbers.js';

/** A WhatsApp address need not be a valid phone number. */
export type NumberKind = 'sms' | 'whatsapp';

/**
 * How to read numbers without a plus sign: by the numbering plan of a country (ISO code), or as `international` or
 * `digits`. Null rejects them.
 */
export type NumbersWithoutPlus = string | null;

/** Numbers without a plus sign start with their calling code, as the API contract requires. */
export const INTERNATIONAL = 'international';

/** Like `international`, but accepts only plain digits, the format that programs use. */
export const DIGITS_ONLY = 'digits';

export type ReadNumber =
  | {
      /** Without a plus sign. */
      digits: string;
    }
  | { reason: string; kind?: ProblemKind };

export const NEEDS_COUNTRY = 'has no + and country code, and no country was chosen for such numbers';
const NO_NUMBER = 'must be a phone number, such as +1 415 555 0123';
const ROUNDED = 'was rounded by a spreadsheet: format the column as text and enter it again';
const HAS_EXTENSION = 'has an extension; messages cannot be sent to extensions';
const TWO_NUMBERS = 'contains more than one number: keep one of them';
export const WRITTEN_PHONE_RULE =
  'must be a phone number with + and country code, such as +1 415 555 0123, or digits only with the country code';

/** Numbers that were copied from other programs may contain invisible characters. */
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g;
/** Matches rounded numbers such as 4.91512E+11, which spreadsheets write. */
const SCIENTIFIC = /^\d[.,]?\d*E\+?\d+$/i;
const PUNCTUATION = /[\s().\-/\u2010-\u2015\u00A0]/g;

/**
 * Length of the longest area code, as in `0761/1234`. If a slash follows more digits than this, the digits are a complete
 * number.
 */
const LONGEST_AREA_CODE = 6;

/**
 * Detects texts such as `0761 1234 / 1235`, because reading both numbers as a single number would send messages to a
 * stranger.
 */
function containsTwoNumbers(normalized: string): boolean {
  const [firstPart = '', ...others] = normalized.split('/').map((part) => part.replace(/\D/g, ''));
  if (others.length === 0) return false;
  const code = normalized.startsWith('+') ? (findCallingCode(firstPart) ?? '') : '';
  return others.length > 1 || firstPart.length - code.length > LONGEST_AREA_CODE;
}

export const REGIONS: readonly string[] = getCountries();

export function isNumbersWithoutPlus(text: string): boolean {
  return text === INTERNATIONAL || isSupportedCountry(text);
}

function normalizeText(text: string): string {
  const visible = text.replace(INVISIBLE, '').normalize('NFKC').trim();
  const cleaned = visible.replace(/^tel:/i, '').replace(/^(\d{7,15})[.,]0$/, '$1');
  return cleaned.replace(/^00(?=[\s().\-/]*[1-9])/, '+').replace(/^\(\+/, '+(');
}

export function lacksPlus(text: string): boolean {
  const normalized = normalizeText(text);
  return !normalized.startsWith('+') && isNumberLike(normalized);
}

function isNumberLike(text: string): boolean {
  return /^\d+$/.test(text.replace(PUNCTUATION, ''));
}

/** A WhatsApp address may have a length that is not valid in its country. */
export function readWrittenNumber(text: string, withoutPlus: NumbersWithoutPlus, kind: NumberKind = 'sms'): ReadNumber {
  const normalized = normalizeText(text);
  if (normalized === '') return { reason: 'is required', kind: 'missing' };
  if (SCIENTIFIC.test(normalized)) return { reason: ROUNDED };
  if (containsTwoNumbers(normalized)) return { reason: TWO_NUMBERS };
  if (normalized.startsWith('+')) return acceptWhatsappAddress(readInternational(normalized), normalized, kind);
  if (!/\d/.test(normalized)) return { reason: NO_NUMBER };
  const isPlainDigits = withoutPlus === DIGITS_ONLY && /^\d+$/.test(normalized);
  if (!isPlainDigits && (withoutPlus === null || !isNumbersWithoutPlus(withoutPlus))) {
    return { reason: isNumberLike(normalized) ? NEEDS_COUNTRY : NO_NUMBER };
  }
  const digits = normalized.replace(PUNCTUATION, '');
  // Without a clear sign of international form, a missing country code is likelier than an unusual number.
  const isKnownForm = kind === 'whatsapp' && findOtherWhatsappForm(digits) !== null;
  if (withoutPlus !== INTERNATIONAL && withoutPlus !== DIGITS_ONLY) {
    const hasCode = digits.startsWith(getCountryCallingCode(withoutPlus as CountryCode));
    return isKnownForm && hasCode ? { digits } : readNational(normalized, withoutPlus as CountryCode);
  }
  if (digits.startsWith('0')) return { reason: 'begins with 0, but no country calling code does' };
  const result = readInternational(`+${digits}`);
  return isPlainDigits || isKnownForm ? acceptWhatsappAddress(result, digits, kind) : result;
}

/** For WhatsApp, digits are accepted even if they are not a valid phone number. */
function acceptWhatsappAddress(result: ReadNumber, text: string, kind: NumberKind): ReadNumber {
  if ('digits' in result || kind !== 'whatsapp') return result;
  const digits = text.replace(/^\+/, '').replace(PUNCTUATION, '');
  return isPhoneNumber(digits, 'calling-code') ? { digits } : result;
}

/** @param country ISO 3166 alpha-2 */
export function parseWrittenNumber(text: string, country: string, kind: NumberKind): PhoneNumber | null {
  const result = readWrittenNumber(text, country, kind);
  // Numbering plans also contain numbers that are too short for a recipient.
  if (
    !('digits' in result) ||
    !(kind === 'whatsapp' ? isPhoneNumber(result.digits, 'calling-code') : isPossible(result.digits))
  )
    return null;
  return { digits: result.digits, plus: text.trimStart().startsWith('+') };
}

function readInternational(text: string): ReadNumber {
  const writtenDigits = text.slice(1).replace(PUNCTUATION, '');
  const code = /^\d+$/.test(writtenDigits) ? findCallingCode(writtenDigits) : null;
  // Numbers that consist of digits only and have a valid length skip the parser, which takes fifty times as long.
  if (
    code !== null &&
    writtenDigits[code.length] !== '0' &&
    getNumberLengths(code).has(writtenDigits.length - code.length)
  ) {
    return { digits: writtenDigits };
  }
  if (/^\d+$/.test(writtenDigits) && writtenDigits.length < SHORTEST_PHONE)
    return { reason: 'is too short for a phone number' };
  if (/^\d+$/.test(writtenDigits) && code === null)
    return { reason: 'must begin with an assigned country calling code' };
  const number = parsePhoneNumberFromString(text, { extract: false });
  if (!number) return { reason: code === null ? NO_NUMBER : explainLength(`+${writtenDigits}`, code) };
  if (number.ext) return { reason: HAS_EXTENSION };
  const parsedDigits = number.number.slice(1);
  // The parser may only remove a trunk zero, because its other changes do not match how some carriers treat numbers.
  const isZeroDropped = code !== null && writtenDigits === `${code}0${parsedDigits.slice(code.length)}`;
  const digits = isZeroDropped || !/^\d+$/.test(writtenDigits) ? parsedDigits : writtenDigits;
  if (!isPossible(digits)) return { reason: explainLength(`+${digits}`, code ?? number.countryCallingCode) };
  return { digits };
}

function readNational(text: string, country: CountryCode): ReadNumber {
  const code = getCountryCallingCode(country);
  const digits = text.replace(PUNCTUATION, '');
  const number = parsePhoneNumberFromString(text, { defaultCountry: country, extract: false });
  if (number?.ext) return { reason: HAS_EXTENSION };
  const isNational = number?.isPossible() ?? false;
  // In countries with the national prefix 0, digits without it are likely to start with the country code.
  const hasCode = digits.startsWith(code) && isPossible(digits) && (!isNational || findNationalPrefix(country) === '0');
  if (hasCode) return { digits };
  if (!number) return { reason: /^\d+$/.test(digits) ? explainLength(text, code, country) : NO_NUMBER };
  if (!isNational) return { reason: explainLength(text, code, country) };
  return { digits: number.number.slice(1) };
}

function isPossible(digits: string): boolean {
  return digits.length >= SHORTEST_PHONE && digits.length <= 15 && isPossiblePhoneNumber(`+${digits}`);
}

function findNationalPrefix(country: CountryCode): string {
  const { countries } = metadata as unknown as { countries: Record<string, readonly unknown[]> };
  const NATIONAL_PREFIX = 5;
  return String(countries[country]?.[NATIONAL_PREFIX] ?? '');
}

function explainLength(text: string, code: string, country?: CountryCode): string {
  const region = country ?? findMainRegion(code)?.region;
  const label = region ? `${getCountryName(region)} (+${code})` : `+${code}`;
  const problem = validatePhoneNumberLength(text, { defaultCountry: country });
  if (problem === 'TOO_SHORT') return `is too short for ${label}`;
  if (problem === 'TOO_LONG') return `is too long for ${label}`;
  return `has a length that no number of ${label} has`;
}

const LENGTHS = new Map<string, ReadonlySet<number>>();

function getNumberLengths(code: string): ReadonlySet<number> {
  const cached = LENGTHS.get(code);
  if (cached) return cached;
  const numbering = new Metadata();
  numbering.selectNumberingPlan(code as CountryCode);
  const lengths = new Set(
    numbering.numberingPlan?.possibleLengths().filter((length) => code.length + length >= SHORTEST_PHONE),
  );
  LENGTHS.set(code, lengths);
  return lengths;
}

export function findRegion(digits: string): string | null {
  const number = parsePhoneNumberFromString(`+${digits}`);
  if (number?.country) return number.country;
  const mainRegion = findMainRegion(findCallingCode(digits) ?? '');
  return mainRegion && !mainRegion.isShared ? mainRegion.region : null;
}

const NAMES = new Intl.DisplayNames(['en'], { type: 'region' });

export function getCountryName(region: string): string {
  return NAMES.of(region) ?? region;
}

export function getRegionCallingCode(region: string): string {
  return getCountryCallingCode(region as CountryCode);
}

/** Returns null for a number with unexpected characters, or with punctuation but no plus sign. */
export function extractDigits(text: string): string | null {
  const normalized = normalizeText(text);
  if (/^\d+$/.test(normalized)) return normalized;
  if (!normalized.startsWith('+') || containsTwoNumbers(normalized)) return null;
  const result = readInternational(normalized);
  if ('digits' in result) return result.digits;
  const digits = normalized.slice(1).replace(PUNCTUATION, '');
  return /^\d+$/.test(digits) ? digits : null;
}
