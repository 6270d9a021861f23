import { type Static, Type } from '@sinclair/typebox';
import type { StoredField } from '../../../features/contacts/custom/field-store.js';
import { FIELD_KEY, FIELD_KEY_RULE, FIELD_TYPES } from '../../../features/contacts/custom/field-values.js';
import { CHOICES_RULE, LABEL_RULE, MAX_CHOICES } from '../../../features/contacts/custom/fields.js';
import { MAX_TAGS_PER_CONTACT, TAG_RULE } from '../../../features/contacts/custom/tag-names.js';
import { Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

export const FieldKey = Type.String({
  pattern: FIELD_KEY.source,
  description: 'Name of the field in placeholders and in the API; it never changes.',
  examples: ['plan'],
  [RULE]: FIELD_KEY_RULE,
});

export const FieldLabel = Type.String({
  maxLength: 400,
  description: 'Name of the field for people.',
  examples: ['Plan'],
  [RULE]: LABEL_RULE,
});

export const FieldTypeSchema = Type.Unsafe<(typeof FIELD_TYPES)[number]>({
  type: 'string',
  enum: [...FIELD_TYPES],
  description: 'Never changes. `date` is a day such as 2026-01-31, and `choice` one of `choices`.',
  examples: ['choice'],
  [RULE]: `must be one of ${FIELD_TYPES.join(', ')}`,
});

export const FieldChoices = Type.Array(Type.String({ maxLength: 400 }), {
  maxItems: MAX_CHOICES,
  description: 'The allowed values of a `choice`.',
  examples: [['basic', 'pro']],
  [RULE]: CHOICES_RULE,
});

export const ContactFieldData = Type.Object({
  key: Type.String(),
  label: Type.String(),
  type: FieldTypeSchema,
  choices: Type.Array(Type.String(), { description: 'Empty for other types than `choice`.' }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const CreateFieldBody = Type.Object(
  { key: FieldKey, label: FieldLabel, type: FieldTypeSchema, choices: Type.Optional(FieldChoices) },
  { examples: [{ key: 'plan', label: 'Plan', type: 'choice', choices: ['basic', 'pro'] }] },
);

export const UpdateFieldBody = Type.Object(
  { label: Type.Optional(FieldLabel), choices: Type.Optional(FieldChoices) },
  { description: 'The fields to change.', examples: [{ label: 'Current plan' }] },
);

export function toFieldRecord(field: StoredField): Static<typeof ContactFieldData> {
  const { key, label, type, choices, createdAt, updatedAt } = field;
  return {
    ...{ key, label, type, choices: [...choices] },
    ...{ createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() },
  };
}

export const TagList = (description: string) =>
  Type.Array(Type.String({ maxLength: 200 }), {
    maxItems: MAX_TAGS_PER_CONTACT,
    description,
    examples: [['vip']],
    [RULE]: `must be a list of at most ${MAX_TAGS_PER_CONTACT} texts, and each ${TAG_RULE}`,
  });

export const FieldColumns = Type.Array(
  Type.Object({
    column: Type.String({ maxLength: 1000, description: 'Heading of the column.', examples: ['Plan'] }),
    key: Type.Optional({
      ...FieldKey,
      description: 'The field that the column fills. Default: made from the heading.',
    }),
    label: Type.Optional({ ...FieldLabel, description: 'Label of a new field. Default: the heading.' }),
    type: Type.Optional({ ...FieldTypeSchema, description: 'Type of a new field. Default: `text`.' }),
    choices: Type.Optional(FieldChoices),
  }),
  {
    maxItems: 100,
    description: 'Columns that fill fields of the account. Fields that do not exist are created.',
    examples: [[{ column: 'Plan', key: 'plan' }]],
    [RULE]: 'must be a list of at most 100 objects with column and perhaps key, label, type and choices',
  },
);

export const TaggedData = Type.Object({
  changed: Type.Integer({ description: 'Contacts whose tags changed.' }),
  unchanged: Type.Integer({
    description: 'Contacts that already had the tags (when adding), or had none of them (when removing).',
  }),
});
