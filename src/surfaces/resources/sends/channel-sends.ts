import { Type } from '@sinclair/typebox';
import { PHONE_RULE } from '../../../carriers/numbers/phone-numbers.js';
import type { AnsweredSend } from '../../../features/conversations/sending/send-and-wait.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import { PURPOSE } from '../../http/schemas/purpose.js';
import { NULL_IS_ABSENT, ONE_OF_FIELDS, RULE } from '../../http/validation.js';
import { ALTERNATIVE_TARGETS, TARGET_FIELDS } from '../people/people.js';
import { LanguageCode, TemplateComponents, TemplateName } from '../records/templates.js';
import { RICH_FIELDS, RichTypeSchema } from './rich-messages.js';

const To = Type.String({
  description: 'A phone number with country code, digits only. Required unless userId or contactId is sent.',
  examples: ['15005550111'],
  [RULE]: PHONE_RULE,
});

export const ReplyBody = Type.Object(
  {
    to: Type.Optional(To),
    ...ALTERNATIVE_TARGETS,
    message: Type.String({
      description: 'Free text.',
      minLength: 1,
      maxLength: WHATSAPP_TEXT_LIMIT,
      examples: ['Hello'],
      [RULE]: `must be a text of 1 to ${WHATSAPP_TEXT_LIMIT} characters`,
    }),
    ...PURPOSE,
  },
  {
    [NULL_IS_ABSENT]: true,
    [ONE_OF_FIELDS]: TARGET_FIELDS,
    examples: [
      { to: '15005550111', message: 'Hello' },
      { userId: 'US.13491208655302741918', message: 'Hello' },
    ],
  },
);

export const TemplateSendBody = Type.Object(
  {
    to: Type.Optional(To),
    ...ALTERNATIVE_TARGETS,
    templateName: TemplateName,
    language: LanguageCode,
    components: Type.Optional(TemplateComponents),
    ...PURPOSE,
  },
  {
    [NULL_IS_ABSENT]: true,
    [ONE_OF_FIELDS]: TARGET_FIELDS,
    examples: [
      {
        to: '15005550111',
        templateName: 'order_update',
        language: 'en_US',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1001' }] }],
      },
    ],
  },
);

export const RichSendBody = Type.Object(
  { to: Type.Optional(To), ...ALTERNATIVE_TARGETS, type: RichTypeSchema, ...RICH_FIELDS, ...PURPOSE },
  {
    [NULL_IS_ABSENT]: true,
    [ONE_OF_FIELDS]: TARGET_FIELDS,
    examples: [
      {
        to: '15005550111',
        type: 'interactive',
        interactive: {
          type: 'button',
          body: { text: 'Shall we come today?' },
          action: {
            buttons: [
              { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
              { type: 'reply', reply: { id: 'no', title: 'No' } },
            ],
          },
        },
      },
      {
        to: '15005550111',
        type: 'location',
        location: { latitude: 51.5007, longitude: -0.1246, name: 'Our shop', address: '1 Bridge Street' },
      },
    ],
  },
);

export const ReadBody = Type.Object(
  {
    messageId: Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'The ID of an inbound message: Heliograph’s or the carrier’s.',
      [RULE]: 'must be a string of 1 to 512 characters',
    }),
    typing: Type.Optional(
      Type.Boolean({
        description: 'Whether to also show the contact that you are typing.',
        default: false,
        [RULE]: 'must be true or false',
      }),
    ),
  },
  { [NULL_IS_ABSENT]: true, examples: [{ messageId: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', typing: true }] },
);

/** Status of a send once the carrier has responded or the wait for the response is over. */
export const SendStatus = Type.Unsafe<AnsweredSend['status']>({
  type: 'string',
  enum: ['sent', 'queued'],
  description: '`queued` if the carrier did not respond in time; the message will still be sent.',
});
