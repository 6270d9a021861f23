import { isPossiblePhoneNumber } from 'libphonenumber-js';
import metadata from 'libphonenumber-js/min/metadata';

/** A phone number: the digits that are stored, and whether it was written with a plus sign before them. */
export interface PhoneNumber {
  /** Digits with country code. */
  digits: string;
  plus: boolean;
}

/** `calling-code`: length and an assigned calling code; `possible`: also a length that the numbering plan knows. */
export type PhoneValidation = 'calling-code' | 'possible';

/** The rule that every recipient obeys (ITU-T E.164 §6), as it follows a field's name. */
export const PHONE_RULE = 'must be a phone number of 7 to 15 digits that begins with an assigned country calling code';

/** The further rule of `possible`. */
const LENGTH_RULE = 'must be a phone number of a length that is possible for its country calling code';

/** Fewest digits of a number with its country code. */
export const SHORTEST_PHONE = 7;
const LONGEST = 15;

/** By the value of one, two or three leading digits: whether they are an assigned code. No code is the start of another. */
const ASSIGNED_CODES: ReadonlySet<string> = new Set([
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys((metadata as { nonGeographic?: Record<string, unknown> }).nonGeographic ?? {}),
]);

/** By the value of a number's first three digits: how long the calling code is that it begins with; 0: none is assigned. */
export const CALLING_CODE_LENGTHS: Readonly<Uint8Array> = codeLengths();

function codeLengths(): Uint8Array {
  const lengths = new Uint8Array(1000);
  for (let start = 100; start < 1000; start++) {
    const digits = String(start);
    lengths[start] = [1, 2, 3].find((length) => ASSIGNED_CODES.has(digits.slice(0, length))) ?? 0;
  }
  return lengths;
}

/**
 * The country calling code that a number begins with, those of global services (+800, +870 …) included; of a user id that
 * of its country. Null when it begins with none that is assigned.
 * @param address the number with country code and without a plus sign, or a user id
 */
export function callingCodeOf(address: string): string | null {
  const length = CALLING_CODE_LENGTHS[Number(address.slice(0, 3))] ?? 0;
  return length === 0 ? codeOfId(address) : address.slice(0, length);
}

/** Calling codes by the ISO code of their region. */
export const CALLING_CODES_BY_REGION: ReadonlyMap<string, string> = new Map(
  Object.entries(metadata.country_calling_codes).flatMap(([code, regions]) =>
    (regions as readonly string[]).map((region) => [region, code] as const),
  ),
);

function codeOfId(address: string): string | null {
  return address[2] === '.' ? (CALLING_CODES_BY_REGION.get(address.slice(0, 2)) ?? null) : null;
}

/**
 * The region that most numbers of a calling code belong to, by its ISO code, and whether others share the code; null for
 * global services and for what is no code.
 */
export function mainRegionOf(callingCode: string): { region: string; isShared: boolean } | null {
  const codes: Readonly<Record<string, readonly string[] | undefined>> = metadata.country_calling_codes;
  const [region, ...others] = codes[callingCode] ?? [];
  return region === undefined ? null : { region, isShared: others.length > 0 };
}

/** Whether some number with an assigned calling code begins with these digits, be they fewer than the code has. */
export function mayBeginNumber(digits: string): boolean {
  return callingCodeOf(digits.padEnd(3, '0')) !== null || [...ASSIGNED_CODES].some((code) => code.startsWith(digits));
}

/** Whether a text is a recipient's number: digits only, with country code. */
export function isPhoneNumber(text: string, validation: PhoneValidation): boolean {
  const { length } = text;
  if (length < SHORTEST_PHONE || length > LONGEST) return false;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  // A number that begins with 0 has no calling code either.
  if (callingCodeOf(text) === null) return false;
  return validation === 'calling-code' || isPossiblePhoneNumber(`+${text}`);
}

/** The rule that a text breaks which `isPhoneNumber` refuses, as it follows a field's name. */
export function phoneRule(text: string): string {
  if (isPhoneNumber(text, 'calling-code')) return LENGTH_RULE;
  const digits = suggestDigits(text);
  if (digits !== null) return `${PHONE_RULE}: write ${digits}, digits only, with the country code`;
  return hasMore(text) ? `${PHONE_RULE}: write it as digits only, with the country code` : PHONE_RULE;
}

/** Whether a text is a number with something beside its digits. Each look is one pass: a text may be as long as a body. */
function hasMore(text: string): boolean {
  return isWritten(text) && /\D/.test(text);
}

/** Whether a text is made of digits and of what people write between them. */
function isWritten(text: string): boolean {
  return /^[\d\s()+.\-/]*$/.test(text) && /\d/.test(text);
}

/** How a number is written where only digits may stand; null where they would not be a number, or nobody knows its country. */
export function suggestDigits(text: string, validation: PhoneValidation = 'calling-code'): string | null {
  if (!/^\s*(\+|00)/.test(text) || !isWritten(text)) return null;
  const digits = text.replace(/\(0\)|\D/g, '').replace(/^0+/, '');
  return isPhoneNumber(digits, validation) ? digits : null;
}

/**
 * Reads a number that may have spaces around it and one leading plus sign.
 * @returns null when it is no phone number
 */
export function parsePhoneNumber(text: string, validation: PhoneValidation): PhoneNumber | null {
  const trimmed = text.trim();
  const plus = trimmed.charCodeAt(0) === 0x2b;
  const digits = plus ? trimmed.slice(1) : trimmed;
  return isPhoneNumber(digits, validation) ? { digits, plus } : null;
}

/** A number as its caller wrote it. */
export function writePhoneNumber({ digits, plus }: PhoneNumber): string {
  return plus ? `+${digits}` : digits;
}
