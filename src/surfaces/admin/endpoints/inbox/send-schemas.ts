import { Type } from '@sinclair/typebox';
import type { AnsweredSend } from '../../../../features/conversations/send-and-wait.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../../messages/compose/v2-plan.js';
import { PHONE_RULE } from '../../../../platform/text/phone-numbers.js';
import { IdUnlessDeleted } from '../../../http/ids.js';
import { LanguageCode, TemplateComponents, TemplateName } from '../../../http/schemas/templates.js';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { NULL_IS_ABSENT, RULE } from '../../../http/validation.js';

const To = Type.String({
  description: 'A phone number with country code, digits only.',
  examples: ['15005550111'],
  [RULE]: PHONE_RULE,
});

export const ReplyBody = Type.Object(
  {
    to: To,
    message: Type.String({
      minLength: 1,
      maxLength: WHATSAPP_TEXT_LIMIT,
      examples: ['Hello'],
      [RULE]: `must be a text of 1 to ${WHATSAPP_TEXT_LIMIT} characters`,
    }),
  },
  { examples: [{ to: '15005550111', message: 'Hello' }] },
);

export const TemplateSendBody = Type.Object(
  { to: To, templateName: TemplateName, language: LanguageCode, components: Type.Optional(TemplateComponents) },
  {
    [NULL_IS_ABSENT]: true,
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

export const SentData = Type.Object({
  messageId: Id,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  status: Type.Unsafe<AnsweredSend['status']>({
    type: 'string',
    enum: ['sent', 'queued'],
    description: '`queued` when the carrier did not answer in time; the message goes on.',
  }),
});

export const PlayedData = Type.Object({
  messageId: Id,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  receivedAt: Timestamp,
});
