import { Type } from '@sinclair/typebox';
import { USER_ID_LIMIT } from '../../../carriers/numbers/user-ids.js';
import { RICH_TYPES, type RichType } from '../../../messages/compose/rich.js';
import { NULL_IS_ABSENT, RULE } from '../../http/validation.js';
import { LanguageCode, TemplateComponents, TemplateName } from '../../resources/records/templates.js';
import { RICH_FIELDS } from '../../resources/sends/rich-messages.js';

export const CALLBACK_DATA_KEY = 'biz_opaque_callback_data';

export const literal = <T extends string>(value: T, description?: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [value], [RULE]: `must be ${value}`, ...(description && { description }) });

const TYPES = [...RICH_TYPES, 'template'] as const;

const Template = Type.Object(
  {
    name: TemplateName,
    language: Type.Object(
      { code: LanguageCode },
      { additionalProperties: true, [RULE]: 'must be an object with code' },
    ),
    components: Type.Optional(TemplateComponents),
  },
  { additionalProperties: true, [RULE]: 'must be an object with name and language' },
);

export const MessageBody = Type.Object(
  {
    messaging_product: literal('whatsapp'),
    recipient_type: Type.Optional(literal('individual')),
    to: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'A phone number with country code, with or without `+`, spaces and punctuation. Takes precedence over `recipient`.',
        examples: ['+15005550111'],
        [RULE]: 'must be a string of at most 40 characters',
      }),
    ),
    recipient: Type.Optional(
      Type.String({
        maxLength: USER_ID_LIMIT,
        description: "WhatsApp's ID for the person, instead of `to`.",
        examples: ['US.13491208655302741918'],
        [RULE]: `must be a string of at most ${USER_ID_LIMIT} characters`,
      }),
    ),
    type: Type.Optional(
      Type.Unsafe<RichType | 'template'>({
        type: 'string',
        enum: [...TYPES],
        description: 'Default: the type whose object is present.',
        [RULE]: `must be ${TYPES.slice(0, -1).join(', ')} or template`,
      }),
    ),
    ...RICH_FIELDS,
    template: Type.Optional(Template),
    biz_opaque_callback_data: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Returned with every status of the message.',
        [RULE]: 'must be a string of 1 to 512 characters',
      }),
    ),
    status: Type.Optional(literal('read', 'Marks the message `message_id` as read. Nothing is sent.')),
    message_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'ID of the inbound message to mark as read. Required with `status`.',
        [RULE]: 'must be a string of 1 to 512 characters',
      }),
    ),
    typing_indicator: Type.Optional(
      Type.Object({ type: literal('text') }, { additionalProperties: true, [RULE]: 'must be an object with type' }),
    ),
  },
  {
    [NULL_IS_ABSENT]: true,
    examples: [
      { messaging_product: 'whatsapp', to: '15005550111', type: 'text', text: { body: 'Hello' } },
      {
        messaging_product: 'whatsapp',
        to: '15005550111',
        type: 'template',
        template: { name: 'hello_world', language: { code: 'en_US' } },
      },
    ],
  },
);

const SentMessage = Type.Object({
  messaging_product: Type.Literal('whatsapp'),
  contacts: Type.Array(
    Type.Object({
      input: Type.String({ description: 'As in the request.', examples: ['+15005550111'] }),
      wa_id: Type.Optional(Type.String({ description: 'The number, digits only.', examples: ['15005550111'] })),
      user_id: Type.Optional(Type.String({ examples: ['US.13491208655302741918'] })),
    }),
  ),
  messages: Type.Array(
    Type.Object({
      id: Type.String({
        description: 'Identifies the message in statuses, quotes and reactions.',
        examples: ['wamid.0192F0C17D3A7C2E9B1A2F6D1C0A4E55'],
      }),
      message_status: Type.Literal('accepted'),
    }),
  ),
});

export const Success = Type.Object({ success: Type.Literal(true) });

export const MessageData = Type.Union([SentMessage, Success], {
  description: 'For a read receipt, only `success`.',
});
