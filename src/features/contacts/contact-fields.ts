import { isLongerThan } from '../../platform/errors/field-problems.js';
import type { LocaleValue } from './locale-value.js';

interface ContactField {
  /** Column in `contacts`. */
  column: string;
  maxLength: number;
  /** An empty string unsets the field and is always allowed. */
  isValid(text: string): boolean;
  /** Converts a valid text to the form in which it is stored. Default: unchanged. */
  normalize?(text: string): string;
  /** Continues an error message that starts with the name of the field. */
  rule: string;
  example: string;
  inputType: 'text' | 'email';
  /** Whether the console's list of contacts has a column for the field. */
  isListed: boolean;
  /** An unset field is stored as NULL in a nullable column, and as an empty string in any other column. */
  isNullable: boolean;
  /** Headings in CSV imports, without spaces and punctuation, in order of preference. */
  headings: readonly string[];
  suggestedFor: readonly RegExp[];
}

/** The column `search` separates its parts with a control character, so fields must not contain any. */
const CONTROL_CHARACTER = /\p{Cc}/u;

/**
 * Accepts what browsers accept in `<input type="email">` (HTML §4.10.5.1.5), plus letters of any alphabet (RFC 6531).
 */
const EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)*$/u;

/** Longest tag without extensions, as RFC 5646 §4.4.1 recommends. */
const LANGUAGE_LIMIT = 35;
/** No IANA name is longer than 32 characters. */
const TIME_ZONE_LIMIT = 64;

const NAME_LIMIT = 200;
/** Longest path without its angle brackets (RFC 5321 §4.5.3.1.3). */
const EMAIL_LIMIT = 254;

function defineSingleLine(maxLength: number) {
  return {
    maxLength,
    isValid: (text: string) => !CONTROL_CHARACTER.test(text) && !isLongerThan(text, maxLength),
    rule: `must be a text of at most ${maxLength} characters without control characters`,
    inputType: 'text',
  } as const;
}

/** Returns the canonical form of a BCP 47 tag such as `pt-BR`, also for `pt_BR`, or null for other texts. */
function parseLanguage(text: string): string | null {
  // Longer first parts are well-formed, but reserved, so `french` is not a language.
  if (text.length > LANGUAGE_LIMIT || !/^[a-z]{2,3}(?:[-_]|$)/i.test(text)) return null;
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}

const TIME_ZONES: ReadonlyMap<string, string> = new Map(
  Intl.supportedValuesOf('timeZone').map((zone) => [zone.toLowerCase(), zone]),
);

/** Returns an IANA name with its upper and lower case, or null for other texts, such as `+01:00`. */
function parseTimeZone(text: string): string | null {
  const supported = TIME_ZONES.get(text.toLowerCase());
  if (supported !== undefined) return supported;
  if (text.length > TIME_ZONE_LIMIT || !/^[a-z]/i.test(text)) return null;
  try {
    // The list of supported zones has one name for each zone, but other names are valid too.
    new Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    return null;
  }
}

/**
 * To add a field, follow the recipe in docs/develop/recipes.md. The columns of imports and exports are in the order of these
 * fields.
 */
export const CONTACT_FIELDS = {
  name: {
    ...defineSingleLine(NAME_LIMIT),
    column: 'name',
    isListed: true,
    example: 'Ada Lovelace',
    isNullable: false,
    headings: ['name', 'fullname', 'displayname', 'contactname'],
    suggestedFor: [
      /^(?:full|contact|display|customer|client)? ?name$/i,
      /^(?:nombre(?: completo)?|nom(?: complet)?|nome(?: completo)?)$/i,
    ],
  },
  email: {
    column: 'email',
    isListed: true,
    maxLength: EMAIL_LIMIT,
    isValid: (text) => text === '' || (text.length <= EMAIL_LIMIT && EMAIL.test(text)),
    rule: 'must be an e-mail address',
    example: 'ada@example.com',
    inputType: 'email',
    isNullable: false,
    headings: ['email', 'emailaddress', 'mail'],
    suggestedFor: [/^e-?mail$/i, /e-?mail|^mail$/i],
  },
  firstName: {
    ...defineSingleLine(NAME_LIMIT),
    column: 'first_name',
    isListed: false,
    example: 'Ada',
    isNullable: true,
    headings: ['firstname', 'givenname', 'forename', 'vorname'],
    suggestedFor: [/^(?:first|given) ?name$|^forename$|^vorname$|^prénom$/i],
  },
  lastName: {
    ...defineSingleLine(NAME_LIMIT),
    column: 'last_name',
    isListed: false,
    example: 'Lovelace',
    isNullable: true,
    headings: ['lastname', 'familyname', 'surname', 'nachname'],
    suggestedFor: [/^(?:last|family) ?name$|^surname$|^nachname$|^apellidos?$/i],
  },
  language: {
    column: 'language',
    maxLength: LANGUAGE_LIMIT,
    isValid: (text) => text === '' || parseLanguage(text) !== null,
    normalize: (text) => parseLanguage(text) ?? text,
    rule: 'must be a language tag such as fr or pt-BR (BCP 47)',
    isListed: false,
    example: 'fr',
    inputType: 'text',
    isNullable: true,
    headings: ['language', 'lang', 'locale'],
    suggestedFor: [/^(?:preferred )?(?:language|lang|locale)$/i, /^(?:idioma|langue|sprache|lingua)$/i],
  },
  timeZone: {
    column: 'time_zone',
    maxLength: TIME_ZONE_LIMIT,
    isValid: (text) => text === '' || parseTimeZone(text) !== null,
    normalize: (text) => parseTimeZone(text) ?? text,
    rule: 'must be a time zone of the IANA database such as Europe/Paris',
    isListed: false,
    example: 'Europe/Paris',
    inputType: 'text',
    isNullable: true,
    headings: ['timezone', 'tz'],
    suggestedFor: [/^time ?zone$|^tz$/i],
  },
} as const satisfies Readonly<Record<string, ContactField>>;

type Fields = typeof CONTACT_FIELDS;
export type ContactFieldName = keyof Fields;

export const CONTACT_FIELD_NAMES = Object.keys(CONTACT_FIELDS) as readonly ContactFieldName[];

/** As stored in `contacts`. */
export type ContactFieldValues = {
  [K in ContactFieldName]: Fields[K]['isNullable'] extends true ? string | null : string;
};

export type WrittenFields = Record<ContactFieldName, string>;

export const FIELD_NAME_LIST = new Intl.ListFormat('en-GB').format(CONTACT_FIELD_NAMES);

export function mapFields<T>(toValue: (name: ContactFieldName) => T): Record<ContactFieldName, T> {
  return Object.fromEntries(CONTACT_FIELD_NAMES.map((name) => [name, toValue(name)])) as Record<ContactFieldName, T>;
}

export function pickFields<T extends Partial<Record<ContactFieldName, unknown>>>(
  contact: T,
): Pick<T, ContactFieldName & keyof T> {
  const present = CONTACT_FIELD_NAMES.filter((name) => contact[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, contact[name]])) as Pick<T, ContactFieldName & keyof T>;
}

export function toStoredValue(name: ContactFieldName, text: string): string | null {
  const { isNullable, normalize }: ContactField = CONTACT_FIELDS[name];
  if (text === '') return isNullable ? null : '';
  return normalize ? normalize(text) : text;
}

/** Missing fields are unset. */
export function toFieldValues(written: Partial<WrittenFields>): ContactFieldValues {
  return mapFields((name) => toStoredValue(name, written[name] ?? '')) as ContactFieldValues;
}

export const UNSET_FIELDS: ContactFieldValues = toFieldValues({});

/** The language or time zone as somebody set it, or an empty string. */
export function toSetText(value: LocaleValue | null): string {
  return value?.source === 'set' ? value.value : '';
}

/** The display name for contacts whose name is in two parts. */
export function joinNames({ firstName = '', lastName = '' }: { firstName?: string; lastName?: string }): string {
  return [firstName, lastName].filter((part) => part !== '').join(' ');
}

export function toContactName(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return isLongerThan(line, NAME_LIMIT) ? [...line].slice(0, NAME_LIMIT).join('') : line;
}
