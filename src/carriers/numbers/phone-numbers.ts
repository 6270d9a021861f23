import { isPossiblePhoneNumber } from 'libphonenumber-js';
import metadata from 'libphonenumber-js/min/metadata';

export interface PhoneNumber {
  /** Digits with country code. */
  digits: string;
  /** True if the number was written with a plus sign. */
  plus: boolean;
}

/** `possible` also checks whether the country has numbers of this length. */
export type PhoneValidation = 'calling-code' | 'possible';

/** Error text to append to a field name, with the rule of ITU-T E.164 §6. */
export const PHONE_RULE = 'must be a phone number of 7 to 15 digits that begins with an assigned country calling code';

const LENGTH_RULE = 'must be a phone number of a length that is possible for its country calling code';

/** Minimum number of digits, including the country code. */
export const SHORTEST_PHONE = 7;
const LONGEST_PHONE = 15;

/** No calling code is a prefix of another calling code. */
const ASSIGNED_CODES: ReadonlySet<string> = new Set([
  ...Object.keys(metadata.country_calling_codes),
  ...Object.keys((metadata as { nonGeographic?: Record<string, unknown> }).nonGeographic ?? {}),
]);

/** Length of the calling code by the first three digits of a number, or 0 if no code is assigned. */
export const CALLING_CODE_LENGTHS: Readonly<Uint8Array> = computeCodeLengths();

function computeCodeLengths(): Uint8Array {
  const lengths = new Uint8Array(1000);
  for (let start = 100; start < 1000; start++) {
    const digits = String(start);
    lengths[start] = [1, 2, 3].find((length) => ASSIGNED_CODES.has(digits.slice(0, length))) ?? 0;
  }
  return lengths;
}

/**
 * Finds calling codes of countries and of global services (+800, +870 …). For a user ID, returns the calling code of its
 * country.
 */
export function findCallingCode(address: string): string | null {
  const length = CALLING_CODE_LENGTHS[Number(address.slice(0, 3))] ?? 0;
  return length === 0 ? findUserIdCallingCode(address) : address.slice(0, length);
}

export const CALLING_CODES_BY_REGION: ReadonlyMap<string, string> = new Map(
  Object.entries(metadata.country_calling_codes).flatMap(([code, regions]) =>
    (regions as readonly string[]).map((region) => [region, code] as const),
  ),
);

function findUserIdCallingCode(address: string): string | null {
  return address[2] === '.' ? (CALLING_CODES_BY_REGION.get(address.slice(0, 2)) ?? null) : null;
}

/** Null for global services. */
export function findMainRegion(callingCode: string): { region: string; isShared: boolean } | null {
  const codes: Readonly<Record<string, readonly string[] | undefined>> = metadata.country_calling_codes;
  const [region, ...others] = codes[callingCode] ?? [];
  return region === undefined ? null : { region, isShared: others.length > 0 };
}

export function canBeginNumber(digits: string): boolean {
  return findCallingCode(digits.padEnd(3, '0')) !== null || [...ASSIGNED_CODES].some((code) => code.startsWith(digits));
}

export function isPhoneNumber(text: string, validation: PhoneValidation): boolean {
  const { length } = text;
  if (length < SHORTEST_PHONE || length > LONGEST_PHONE) return false;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  // Looking up the calling code also rejects leading zeros, because no calling code starts with zero.
  if (findCallingCode(text) === null) return false;
  return validation === 'calling-code' || isPossiblePhoneNumber(`+${text}`);
}

export function explainPhoneRule(text: string): string {
  if (isPhoneNumber(text, 'calling-code')) return LENGTH_RULE;
  const digits = suggestDigits(text);
  if (digits !== null) return `${PHONE_RULE}: write ${digits}, digits only, with the country code`;
  return isPunctuatedNumber(text) ? `${PHONE_RULE}: write it as digits only, with the country code` : PHONE_RULE;
}

/** The check must run in linear time, because the text may be as long as a request body. */
function isPunctuatedNumber(text: string): boolean {
  return isWritten(text) && /\D/.test(text);
}

function isWritten(text: string): boolean {
  return /^[\d\s()+.\-/]*$/.test(text) && /\d/.test(text);
}

export function suggestDigits(text: string, validation: PhoneValidation = 'calling-code'): string | null {
  if (!/^\s*(\+|00)/.test(text) || !isWritten(text)) return null;
  const digits = text.replace(/\(0\)|\D/g, '').replace(/^0+/, '');
  return isPhoneNumber(digits, validation) ? digits : null;
}

export function parsePhoneNumber(text: string, validation: PhoneValidation): PhoneNumber | null {
  const trimmed = text.trim();
  const plus = trimmed.charCodeAt(0) === 0x2b;
  const digits = plus ? trimmed.slice(1) : trimmed;
  return isPhoneNumber(digits, validation) ? { digits, plus } : null;
}

export function writePhoneNumber({ digits, plus }: PhoneNumber): string {
  return plus ? `+${digits}` : digits;
}
