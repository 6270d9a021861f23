import { type TUnsafe, Type } from '@sinclair/typebox';
import {
  CONTACT_FIELDS,
  type ContactFieldName,
  type ContactFieldValues,
  mapFields,
} from '../../../features/contacts/contact-fields.js';
import type { CustomValues, WrittenValues } from '../../../features/contacts/custom/field-values.js';
import { MAX_FIELDS } from '../../../features/contacts/custom/fields.js';
import { TAG_RULE } from '../../../features/contacts/custom/tag-names.js';
import type { Locale } from '../../../features/contacts/locale-value.js';
import { DELIMITERS } from '../../../platform/text/csv-text.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { PERSON } from './people.js';

export const WRITTEN_CONTACT_FIELDS = mapFields((name) => {
  const { maxLength, example, rule } = CONTACT_FIELDS[name];
  return Type.Optional(Type.String({ maxLength, examples: [example], [RULE]: rule }));
});

const defineLocaleValue = (description: string, example: string) =>
  Type.Union(
    [
      Type.Object({
        value: Type.String({ examples: [example] }),
        source: Type.Union([Type.Literal('set'), Type.Literal('number')], {
          description: '`number` if the value was computed from the phone number, because none was set.',
        }),
      }),
      Type.Null(),
    ],
    { description },
  );

export const CONTACT_FIELD_SCHEMAS = {
  ...(mapFields((name) =>
    CONTACT_FIELDS[name].isNullable
      ? Type.Union([Type.String(), Type.Null()], { description: 'Null if not set.' })
      : Type.String({ description: 'Empty if not set.' }),
  ) as { [K in Exclude<ContactFieldName, keyof Locale>]: TUnsafe<ContactFieldValues[K]> }),
  language: defineLocaleValue(
    "BCP 47 tag of the contact's language. If none was set, the most widely used language of the number's country.",
    'fr',
  ),
  timeZone: defineLocaleValue(
    "The contact's time zone in the IANA database. If none was set, that of the number; for numbers with several time zones, the most populous one of the country where possible.",
    'Europe/Paris',
  ),
};

export const MARK_SCHEMAS = {
  tags: Type.Unsafe<readonly string[]>(
    Type.Array(Type.String(), { description: 'In lower case and alphabetical order.' }),
  ),
  fields: Type.Unsafe<CustomValues>({
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    description: 'Values of the fields that the account defined, by key. Fields without a value are absent.',
    examples: [{ plan: 'pro', seats: 12 }],
  }),
};

export const WRITTEN_MARKS = {
  tags: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      description: 'All tags of the contact. New tags are created. Upper and lower case make no difference.',
      examples: [['vip', 'newsletter']],
      [RULE]: `must be a list of texts, and each ${TAG_RULE}`,
    }),
  ),
  fields: Type.Optional(
    Type.Unsafe<WrittenValues>({
      type: 'object',
      maxProperties: MAX_FIELDS,
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
      description:
        'Values of the fields that the account defined, by key. Other fields keep their values; null or an empty text clears a field.',
      examples: [{ plan: 'pro', seats: 12 }],
      [RULE]: 'must be an object of texts, numbers, booleans and nulls',
    }),
  ),
};

export const contactSchema = (optedOut: string) =>
  Type.Object({
    id: Id,
    ...PERSON,
    ...CONTACT_FIELD_SCHEMAS,
    ...MARK_SCHEMAS,
    optedOut: Type.Boolean({ description: optedOut }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  });

export const fileDelimiter = (description: string) =>
  Type.Unsafe<(typeof DELIMITERS)[number]>({
    type: 'string',
    enum: [...DELIMITERS],
    description,
    [RULE]: 'must be a comma, a semicolon, a tab or a vertical bar',
  });
