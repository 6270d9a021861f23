import { Type } from '@sinclair/typebox';
import { EMAIL_LIMIT, EMAIL_RULE, NAME_LIMIT, NAME_RULE } from '../../../features/contacts/fields.js';
import { DELIMITERS } from '../../../platform/text/csv-text.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { PERSON } from './people.js';

export const ContactName = Type.String({ maxLength: NAME_LIMIT, examples: ['Ada Lovelace'], [RULE]: NAME_RULE });
export const ContactEmail = Type.String({ maxLength: EMAIL_LIMIT, examples: ['ada@example.com'], [RULE]: EMAIL_RULE });

/**
 * A contact in the shape of `contactRecords`.
 * @param optedOut what the answer says of it
 */
export const contactSchema = (optedOut: string) =>
  Type.Object({
    id: Id,
    ...PERSON,
    name: Type.String({ description: 'Empty while unset, as is the e-mail address.' }),
    email: Type.String(),
    optedOut: Type.Boolean({ description: optedOut }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  });

/** What stands between the cells of a file of CSV. */
export const fileDelimiter = (description: string) =>
  Type.Unsafe<(typeof DELIMITERS)[number]>({
    type: 'string',
    enum: [...DELIMITERS],
    description,
    [RULE]: 'must be a comma, a semicolon, a tab or a vertical bar',
  });
