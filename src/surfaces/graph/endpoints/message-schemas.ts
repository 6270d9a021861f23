import { Type } from '@sinclair/typebox';
import { USER_ID_LIMIT } from '../../../carriers/numbers/user-ids.js';
import { RICH_TYPES, type RichType } from '../../../messages/compose/rich.js';
import { NULL_IS_ABSENT, RULE } from '../../http/validation.js';
import { LanguageCode, TemplateComponents, TemplateName } from '../../resources/records/templates.js';
import { RICH_FIELDS } from '../../resources/sends/rich-messages.js';

/** The name under which `biz_opaque_callback_data` is kept among the metadata of a message. */
export const OPAQUE = 'biz_opaque_callback_data';

export const only = <T extends string>(word: T, description?: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [word], [RULE]: `must be ${word}`, ...(description && { description }) });

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

/** A message, or that one was read, as Meta's Messages API takes them. */
export const MessageBody = Type.Object(
  {
    messaging_product: only('whatsapp'),
    recipient_type: Type.Optional(only('individual')),
    to: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          'A phone number with its country code, with or without `+`, blanks and punctuation. Where `recipient` is sent too, the number counts.',
        examples: ['+15005550111'],
        [RULE]: 'must be a text of at most 40 characters',
      }),
    ),
    recipient: Type.Optional(
      Type.String({
        maxLength: USER_ID_LIMIT,
        description: "WhatsApp's id of a person to this business, in the place of `to`.",
        examples: ['US.13491208655302741918'],
        [RULE]: `must be a text of at most ${USER_ID_LIMIT} characters`,
      }),
    ),
    type: Type.Optional(
      Type.Unsafe<RichType | 'template'>({
        type: 'string',
        enum: [...TYPES],
        description: 'Without it, the one whose object is sent.',
        [RULE]: `must be ${TYPES.slice(0, -1).join(', ')} or template`,
      }),
    ),
    ...RICH_FIELDS,
    template: Type.Optional(Template),
    biz_opaque_callback_data: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Comes back with every status of the message.',
        [RULE]: 'must be a text of 1 to 512 characters',
      }),
    ),
    status: Type.Optional(only('read', 'Shows the contact that `message_id` was read, and sends nothing.')),
    message_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'The id of a message of the contact, with `status`.',
        [RULE]: 'must be a text of 1 to 512 characters',
      }),
    ),
    typing_indicator: Type.Optional(
      Type.Object({ type: only('text') }, { additionalProperties: true, [RULE]: 'must be an object with type' }),
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

const Sent = Type.Object({
  messaging_product: Type.Literal('whatsapp'),
  contacts: Type.Array(
    Type.Object({
      input: Type.String({ description: 'As it was sent.', examples: ['+15005550111'] }),
      wa_id: Type.Optional(Type.String({ description: 'The number in digits.', examples: ['15005550111'] })),
      user_id: Type.Optional(Type.String({ examples: ['US.13491208655302741918'] })),
    }),
  ),
  messages: Type.Array(
    Type.Object({
      id: Type.String({
        description: 'Names the message in statuses, quotes and reactions.',
        examples: ['wamid.0192F0C17D3A7C2E9B1A2F6D1C0A4E55'],
      }),
      message_status: Type.Literal('accepted'),
    }),
  ),
});

/** That something was done, which has no other answer. */
export const Success = Type.Object({ success: Type.Literal(true) });

export const MessageData = Type.Union([Sent, Success], {
  description: 'Of a message; `success` alone where one was shown as read.',
});
