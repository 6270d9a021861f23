import { Type } from '@sinclair/typebox';
import { MAX_EXAMPLE_BYTES } from '../../../features/templates/example-file.js';
import { TemplateStatus } from '../../../features/templates/list.js';
import { Id } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { LanguageCode } from './templates.js';

const Component = Type.Object({}, { additionalProperties: true });

export const TemplateRecord = Type.Object({
  id: Id,
  name: Type.String({ examples: ['order_update'] }),
  status: Type.Enum(TemplateStatus, { examples: ['APPROVED'] }),
  language: Type.String({ examples: ['en_US'] }),
  category: Type.String({ examples: ['MARKETING'] }),
  quality: Type.Union([Type.String({ examples: ['GREEN'] }), Type.Null()], {
    description: "WhatsApp's quality rating: GREEN, YELLOW, RED or UNKNOWN; null if none was reported.",
  }),
  components: Type.Array(Component, { description: "Meta's components." }),
});

const CATEGORIES = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const;

const textField = (rule = 'must be a string') => Type.Optional(Type.String({ maxLength: 4096, [RULE]: rule }));

const Button = Type.Object(
  {
    type: Type.String({ maxLength: 64, examples: ['QUICK_REPLY'], [RULE]: 'must be a string' }),
    text: textField(),
    url: textField(),
    phone_number: textField(),
    otp_type: textField(),
    example: Type.Optional(
      Type.Unsafe<string | string[]>({
        type: ['string', 'array'],
        items: { type: 'string' },
        maxItems: 10,
        [RULE]: 'must be a string or an array of strings',
      }),
    ),
  },
  // Unknown fields are allowed, because Meta has fields for Flows and for apps that read codes, and may add further fields.
  { additionalProperties: true, [RULE]: 'must be an object with type' },
);

const PART_FIELDS = {
  format: textField(),
  text: textField(),
  buttons: Type.Optional(Type.Array(Button, { maxItems: 10, [RULE]: 'must be an array of 1 to 10 buttons' })),
  example: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'An example of each parameter, required by Meta. BODY: `{"body_text": [["A-1001"]]}` or `{"body_text_named_params": [{"param_name": "order", "example": "A-1001"}]}`. HEADER with a file: `{"header_handle": ["…"]}` with a handle from `POST /templates/examples`, the ID of a file from `POST /media`, or a URL, which is fetched.',
        [RULE]: 'must be an object',
      },
    ),
  ),
};

const CardPart = Type.Object(
  {
    type: Type.String({
      maxLength: 64,
      description: '`HEADER`, `BODY` or `BUTTONS`.',
      examples: ['HEADER'],
      [RULE]: 'must be HEADER, BODY or BUTTONS',
    }),
    ...PART_FIELDS,
  },
  { additionalProperties: true, [RULE]: 'must be an object with type' },
);

const Card = Type.Object(
  { components: Type.Array(CardPart, { maxItems: 3, [RULE]: 'must be an array of at most 3 objects' }) },
  { additionalProperties: true, [RULE]: 'must be an object with components' },
);

const COMPONENT_TYPES = 'HEADER, BODY, FOOTER, BUTTONS, LIMITED_TIME_OFFER, CAROUSEL or CALL_PERMISSION_REQUEST';

const DraftComponent = Type.Object(
  {
    type: Type.String({
      maxLength: 64,
      description:
        '`HEADER`, `BODY`, `FOOTER` or `BUTTONS`; for MARKETING also `LIMITED_TIME_OFFER` and `CAROUSEL`; or `CALL_PERMISSION_REQUEST`.',
      examples: ['BODY'],
      [RULE]: `must be ${COMPONENT_TYPES}`,
    }),
    ...PART_FIELDS,
    limited_time_offer: Type.Optional(
      Type.Object(
        {
          text: Type.String({ maxLength: 4096, [RULE]: 'must be a string' }),
          has_expiration: Type.Optional(Type.Boolean({ [RULE]: 'must be true or false' })),
        },
        {
          additionalProperties: true,
          description:
            'For LIMITED_TIME_OFFER: the title of the offer, and whether each message sets an expiration time.',
          [RULE]: 'must be an object with text',
        },
      ),
    ),
    cards: Type.Optional(
      Type.Array(Card, {
        maxItems: 10,
        description: 'For CAROUSEL: 2 to 10 cards with the same parts.',
        [RULE]: 'must be an array of 2 to 10 cards',
      }),
    ),
    add_security_recommendation: Type.Optional(
      Type.Boolean({ description: 'For the BODY of an AUTHENTICATION template.', [RULE]: 'must be true or false' }),
    ),
    code_expiration_minutes: Type.Optional(
      Type.Integer({
        description: 'For the FOOTER of an AUTHENTICATION template.',
        [RULE]: 'must be an integer from 1 to 90',
      }),
    ),
  },
  { additionalProperties: true, [RULE]: 'must be an object with type' },
);

/** Length of a 16 MB file in Base64. The body limit is slightly higher, to leave room for the rest of the JSON. */
const EXAMPLE_CHARACTERS = Math.ceil(MAX_EXAMPLE_BYTES / 3) * 4;
export const EXAMPLE_BODY_LIMIT = EXAMPLE_CHARACTERS + 1024;

export const ExampleBody = Type.Object({
  data: Type.String({
    minLength: 1,
    maxLength: EXAMPLE_CHARACTERS,
    description: 'The file as base64: a JPEG or PNG of up to 5 MB, or an MP4 or PDF of up to 16 MB.',
    examples: ['iVBORw0KGgo='],
    [RULE]: 'must be a file of at most 16 MB, in base64',
  }),
});

export const ExampleData = Type.Object({
  handle: Type.String({
    description: 'Use it in `example.header_handle` of a HEADER.',
    examples: ['4::aW1hZ2UvcG5n:ARb'],
  }),
  type: Type.String({ examples: ['image/png'] }),
  size: Type.Integer({ description: 'Bytes.' }),
});

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
      maxItems: 6,
      [RULE]: 'must be an array of 1 to 6 objects',
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

/** Name, language and category cannot be changed, so if present they must equal those of the template. */
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
