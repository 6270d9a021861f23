import { Type } from '@sinclair/typebox';
import { RULE } from '../../http/validation.js';

const Parameter = Type.Object(
  {
    type: Type.String({
      minLength: 1,
      maxLength: 64,
      examples: ['text'],
      [RULE]: 'must be a non-empty string',
    }),
    text: Type.Optional(Type.String({ examples: ['Ann'], [RULE]: 'must be a string' })),
  },
  // Media, codes and parameter names are validated later, against the template.
  { additionalProperties: true, [RULE]: 'must be an object with type and text' },
);

const COMPONENT_FIELDS = {
  type: Type.String({
    minLength: 1,
    maxLength: 64,
    examples: ['body'],
    [RULE]: 'must be a non-empty string',
  }),
  sub_type: Type.Optional(Type.String({ maxLength: 64, [RULE]: 'must be a string' })),
  index: Type.Optional(
    Type.Unsafe<string | number>({ type: ['string', 'integer'], [RULE]: 'must be a string or an integer' }),
  ),
  parameters: Type.Optional(
    Type.Array(Parameter, { maxItems: 100, [RULE]: 'must be an array of at most 100 objects' }),
  ),
};

const COMPONENT_RULE = { additionalProperties: true, [RULE]: 'must be an object with type and parameters' } as const;

const COMPONENTS_RULE = { maxItems: 50, [RULE]: 'must be an array of at most 50 objects' } as const;

const Card = Type.Object(
  {
    card_index: Type.Integer({ minimum: 0, maximum: 9, examples: [0], [RULE]: 'must be an integer from 0 to 9' }),
    components: Type.Array(Type.Object(COMPONENT_FIELDS, COMPONENT_RULE), COMPONENTS_RULE),
  },
  { additionalProperties: true, [RULE]: 'must be an object with card_index and components' },
);

const Component = Type.Object(
  {
    ...COMPONENT_FIELDS,
    cards: Type.Optional(
      Type.Array(Card, {
        maxItems: 10,
        description: 'For a `carousel`: the parameters of each card.',
        [RULE]: 'must be an array of at most 10 objects',
      }),
    ),
  },
  COMPONENT_RULE,
);

/** Components have the same shape as in Meta's Cloud API, and unknown fields are passed to the carrier. */
export const TemplateComponents = Type.Array(Component, COMPONENTS_RULE);

export const TemplateName = Type.String({
  minLength: 1,
  maxLength: 512,
  examples: ['hello_world'],
  [RULE]: 'must be a string of 1 to 512 characters',
});

export const LanguageCode = Type.String({
  pattern: '^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$',
  maxLength: 35,
  examples: ['en_US'],
  [RULE]: 'must be a language code such as en_US',
});
