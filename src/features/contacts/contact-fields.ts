import { isLongerThan } from '../../platform/errors/field-problems.js';

/** A text that people write about a contact. The name of the field is also the name of its column in `contacts`. */
interface ContactField {
  /** Most characters. */
  maxLength: number;
  /** Whether a text is allowed. The empty text unsets the field and is always allowed. */
  isValid(text: string): boolean;
  /** Continues an error message that starts with the name of the field. */
  rule: string;
  example: string;
  /** The type of the console's input element. */
  inputType: 'text' | 'email';
  /** A nullable column holds NULL while the field is unset, any other column the empty text. */
  isNullable: boolean;
  /** Headings of CSV columns that imports read, without spaces and punctuation, in order of preference. */
  headings: readonly string[];
  /** Headings for which the console suggests the field, in order of preference. */
  suggestedFor: readonly RegExp[];
}

/** Control characters; the column `search` separates its parts with one. */
const CONTROL = /\p{Cc}/u;

/** As browsers validate `<input type="email">` (HTML §4.10.5.1.5), plus letters of any alphabet (RFC 6531). */
const EMAIL =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}@[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)*$/u;

const NAME_LIMIT = 200;
/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const EMAIL_LIMIT = 254;

/** The rules of a single line of text. */
function singleLine(maxLength: number) {
  return {
    maxLength,
    isValid: (text: string) => !CONTROL.test(text) && !isLongerThan(text, maxLength),
    rule: `must be a text of at most ${maxLength} characters without control characters`,
    inputType: 'text',
  } as const;
}

/**
 * The fields of a contact that people write, as opposed to the IDs by which it is known. Rows, statements, requests and
 * answers, webhooks, CSV import and export, merging, placeholders and the console's forms are derived from this table.
 * To add a field, follow the recipe in CONTRIBUTING.md. Imports and exports have the columns in this order.
 */
export const CONTACT_FIELDS = {
  name: {
    ...singleLine(NAME_LIMIT),
    example: 'Ada Lovelace',
    isNullable: false,
    headings: ['name', 'fullname', 'displayname', 'contactname'],
    suggestedFor: [
      /^(?:full|contact|display|customer|client)? ?name$/i,
      /^(?:nombre(?: completo)?|nom(?: complet)?|nome(?: completo)?)$/i,
      /^(?:first|given) ?name$|^forename$|^vorname$|^prénom$/i,
    ],
  },
  email: {
    maxLength: EMAIL_LIMIT,
    isValid: (text) => text === '' || (text.length <= EMAIL_LIMIT && EMAIL.test(text)),
    rule: 'must be an e-mail address',
    example: 'ada@example.com',
    inputType: 'email',
    isNullable: false,
    headings: ['email', 'emailaddress', 'mail'],
    suggestedFor: [/^e-?mail$/i, /e-?mail|^mail$/i],
  },
} as const satisfies Readonly<Record<string, ContactField>>;

type Fields = typeof CONTACT_FIELDS;
export type ContactFieldName = keyof Fields;

export const CONTACT_FIELD_NAMES = Object.keys(CONTACT_FIELDS) as readonly ContactFieldName[];

/** The fields as a row of `contacts` holds them. */
export type ContactFieldValues = {
  [K in ContactFieldName]: Fields[K]['isNullable'] extends true ? string | null : string;
};

/** The fields as people write them; the empty text unsets one. */
export type WrittenFields = Record<ContactFieldName, string>;

/** The names of the fields as part of a sentence, such as "name and email". */
export const LISTED_FIELD_NAMES = new Intl.ListFormat('en-GB').format(CONTACT_FIELD_NAMES);

/** Calls a function for each field. */
export function mapFields<T>(toValue: (name: ContactFieldName) => T): Record<ContactFieldName, T> {
  return Object.fromEntries(CONTACT_FIELD_NAMES.map((name) => [name, toValue(name)])) as Record<ContactFieldName, T>;
}

/** The fields of a contact, without everything else in the object. */
export function pickFields<T extends Partial<Record<ContactFieldName, unknown>>>(
  contact: T,
): Pick<T, ContactFieldName & keyof T> {
  const present = CONTACT_FIELD_NAMES.filter((name) => contact[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, contact[name]])) as Pick<T, ContactFieldName & keyof T>;
}

/** What the column of a field holds for a written text. */
export function storedValue(name: ContactFieldName, text: string): string | null {
  return text === '' && CONTACT_FIELDS[name].isNullable ? null : text;
}

/** The values of a row for written fields; missing ones are unset. */
export function toFieldValues(written: Partial<WrittenFields>): ContactFieldValues {
  return mapFields((name) => storedValue(name, written[name] ?? '')) as ContactFieldValues;
}

export const UNSET_FIELDS: ContactFieldValues = toFieldValues({});

/** A name from elsewhere, such as a WhatsApp profile, made to fit the field `name`. */
export function toContactName(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cs}]+/gu, ' ').trim();
  return isLongerThan(line, NAME_LIMIT) ? [...line].slice(0, NAME_LIMIT).join('') : line;
}
