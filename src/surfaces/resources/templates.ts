import { Type } from '@sinclair/typebox';
import { RULE } from '../http/validation.js';

const Parameter = Type.Object(
  {
    type: Type.String({
      minLength: 1,
      maxLength: 64,
      examples: ['text'],
      [RULE]: 'must be a string that is not empty',
    }),
    text: Type.Optional(Type.String({ examples: ['Ann'], [RULE]: 'must be a string' })),
  },
  // Media, codes and names of parameters, which the template's own check reads.
  { additionalProperties: true, [RULE]: 'must be an object with type and text' },
);

const Component = Type.Object(
  {
    type: Type.String({
      minLength: 1,
      maxLength: 64,
      examples: ['body'],
      [RULE]: 'must be a string that is not empty',
    }),
    sub_type: Type.Optional(Type.String({ maxLength: 64, [RULE]: 'must be a string' })),
    index: Type.Optional(
      Type.Unsafe<string | number>({ type: ['string', 'integer'], [RULE]: 'must be a string or an integer' }),
    ),
    parameters: Type.Optional(
      Type.Array(Parameter, { maxItems: 100, [RULE]: 'must be an array of at most 100 objects' }),
    ),
  },
  { additionalProperties: true, [RULE]: 'must be an object with type and parameters' },
);

/** The parameters of a template in a send, as Meta's Cloud API takes them. */
export const TemplateComponents = Type.Array(Component, {
  maxItems: 50,
  [RULE]: 'must be an array of at most 50 objects',
});

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
