import { type TUnsafe, Type } from '@sinclair/typebox';
import {
  CONTACT_FIELDS,
  type ContactFieldName,
  type ContactFieldValues,
  mapFields,
} from '../../../features/contacts/contact-fields.js';
import { DELIMITERS } from '../../../platform/text/csv-text.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { PERSON } from './people.js';

export const WRITTEN_CONTACT_FIELDS = mapFields((name) => {
  const { maxLength, example, rule } = CONTACT_FIELDS[name];
  return Type.Optional(Type.String({ maxLength, examples: [example], [RULE]: rule }));
});

export const CONTACT_FIELD_SCHEMAS = mapFields((name) =>
  CONTACT_FIELDS[name].isNullable
    ? Type.Union([Type.String(), Type.Null()], { description: 'Null if not set.' })
    : Type.String({ description: 'Empty if not set.' }),
) as { [K in ContactFieldName]: TUnsafe<ContactFieldValues[K]> };

export const contactSchema = (optedOut: string) =>
  Type.Object({
    id: Id,
    ...PERSON,
    ...CONTACT_FIELD_SCHEMAS,
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
