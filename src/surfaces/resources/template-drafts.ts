import { Type } from '@sinclair/typebox';
import { TemplateStatus } from '../../features/templates/list.js';
import { Id } from '../http/schemas/values.js';
import { RULE } from '../http/validation.js';
import { LanguageCode } from './templates.js';

const Component = Type.Object({}, { additionalProperties: true });

export const TemplateRecord = Type.Object({
  id: Id,
  name: Type.String({ examples: ['order_update'] }),
  status: Type.Enum(TemplateStatus, { examples: ['APPROVED'] }),
  language: Type.String({ examples: ['en_US'] }),
  category: Type.String({ examples: ['MARKETING'] }),
  components: Type.Array(Component, { description: "Meta's components." }),
});

const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;

const text = (rule = 'must be a string') => Type.Optional(Type.String({ maxLength: 4096, [RULE]: rule }));

const Button = Type.Object(
  {
    type: Type.String({ maxLength: 64, examples: ['QUICK_REPLY'], [RULE]: 'must be a string' }),
    text: text(),
    url: text(),
    phone_number: text(),
    otp_type: text(),
    example: Type.Optional(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        items: { type: 'string' },
        maxItems: 10,
        [RULE]: 'must be a string or an array of strings',
      }),
    ),
  },
  { [RULE]: 'must be an object with type' },
);

const DraftComponent = Type.Object(
  {
    type: Type.String({
      maxLength: 64,
      description: '`HEADER`, `BODY`, `FOOTER` or `BUTTONS`.',
      examples: ['BODY'],
      [RULE]: 'must be HEADER, BODY, FOOTER or BUTTONS',
    }),
    format: text(),
    text: text(),
    buttons: Type.Optional(Type.Array(Button, { maxItems: 10, [RULE]: 'must be an array of 1 to 10 buttons' })),
    example: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description:
            'A sample of each parameter, which Meta wants: of a BODY `{"body_text": [["A-1001"]]}` or `{"body_text_named_params": [{"param_name": "order", "example": "A-1001"}]}`.',
          [RULE]: 'must be an object',
        },
      ),
    ),
    add_security_recommendation: Type.Optional(
      Type.Boolean({ description: 'BODY of AUTHENTICATION.', [RULE]: 'must be true or false' }),
    ),
    code_expiration_minutes: Type.Optional(
      Type.Integer({ description: 'FOOTER of AUTHENTICATION.', [RULE]: 'must be an integer from 1 to 90' }),
    ),
  },
  { [RULE]: 'must be an object with type' },
);

export const DraftBody = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z0-9_]{1,512}$',
      examples: ['order_update'],
      [RULE]: 'must be 1 to 512 lower-case letters, digits and underscores',
    }),
    language: LanguageCode,
    category: Type.Unsafe<(typeof CATEGORIES)[number]>({
      type: 'string',
      enum: [...CATEGORIES],
      [RULE]: 'must be MARKETING, UTILITY or AUTHENTICATION',
    }),
    components: Type.Array(DraftComponent, {
      minItems: 1,
      maxItems: 4,
      [RULE]: 'must be an array of 1 to 4 objects',
    }),
  },
  {
    examples: [
      {
        name: 'order_update',
        language: 'en_US',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.', example: { body_text: [['A-1001']] } }],
      },
    ],
  },
);

/** The key of a template stays: what of it is sent must be as it is. */
export const ChangeBody = Type.Object(
  {
    ...Type.Partial(Type.Pick(DraftBody, ['name', 'language', 'category'])).properties,
    components: DraftBody.properties.components,
  },
  {
    examples: [
      {
        components: [{ type: 'BODY', text: 'Your order {{1}} leaves today.', example: { body_text: [['A-1001']] } }],
      },
    ],
  },
);
