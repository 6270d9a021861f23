import { type Static, Type } from '@sinclair/typebox';
import type { Audience } from '../../../features/audiences/audience-store.js';
import { MAX_LEVELS, MAX_TESTS, OPERATORS } from '../../../features/audiences/condition.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { nameSchema } from '../names.js';

export const AudienceName = nameSchema(200, 'Customers in France');

const EXAMPLE = {
  all: [
    { field: 'fields.plan', operator: 'is', value: 'pro' },
    {
      any: [
        { field: 'country', operator: 'is', value: 'FR' },
        { field: 'tags', operator: 'has', value: 'vip' },
      ],
    },
    { not: { field: 'lastOutboundAt', operator: 'inLastDays', value: 7 } },
  ],
};

/** The feature checks conditions, because its errors name the path of each invalid part. */
export const AudienceCondition = Type.Unsafe<unknown>({
  type: 'object',
  description:
    `Either a test or a list of conditions. A list is \`{"all": […]}\` or \`{"any": […]}\`, and its entries are tests or ${MAX_LEVELS === 2 ? 'lists of tests' : 'lists'}. ` +
    '`{"not": …}` reverses a test or a list. A test has the name of a `field`, an `operator`, and usually a `value`. A condition can ' +
    `have at most ${MAX_TESTS} tests. docs/audience/audiences.md lists the fields and their operators.`,
  properties: {
    all: { type: 'array', items: { type: 'object' }, description: 'Conditions that must all be met.' },
    any: { type: 'array', items: { type: 'object' }, description: 'Conditions of which one must be met.' },
    not: { type: 'object', description: 'A condition that must not be met.' },
    field: {
      type: 'string',
      description: 'A built-in field such as `country`, or `fields.` and the key of a contact field.',
    },
    operator: { type: 'string', enum: [...new Set(Object.values(OPERATORS).flat())] },
    value: { type: ['string', 'number', 'boolean'] },
  },
  examples: [EXAMPLE],
  [RULE]: 'must be a condition: an object with one of all, any and not, or with field, operator and value',
});

/** As stored, which is checked. */
const StoredCondition = Type.Unsafe<unknown>({ type: 'object', additionalProperties: true, examples: [EXAMPLE] });

export const AudienceData = Type.Object({
  id: Id,
  name: Type.String(),
  condition: StoredCondition,
  createdAt: Timestamp,
  updatedAt: Timestamp,
});

export const CreateAudienceBody = Type.Object(
  { name: AudienceName, condition: AudienceCondition },
  { examples: [{ name: 'Customers in France', condition: EXAMPLE }] },
);

export const UpdateAudienceBody = Type.Object(
  { name: Type.Optional(AudienceName), condition: Type.Optional(AudienceCondition) },
  {
    description: 'The fields to change. A condition is replaced as a whole.',
    examples: [{ name: 'Customers in France' }],
  },
);

export const PreviewBody = Type.Object({ condition: AudienceCondition }, { examples: [{ condition: EXAMPLE }] });

export const PreviewCounts = {
  count: Type.Integer({ description: 'Contacts of the channel who meet the condition now.' }),
  countIsEstimate: Type.Boolean({
    description:
      'Whether the count was computed from a sample because counting took too long; it may be off by a few percent.',
  }),
};

export function toAudienceRecord({ id, name, condition, createdAt, updatedAt }: Audience): Static<typeof AudienceData> {
  return { id, name, condition, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}
