import { Type } from '@sinclair/typebox';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { NullablePhone, WHATSAPP_PERSON } from '../../../resources/people/people.js';

const filterText = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));

export const INBOUND_FILTERS = {
  from: filterText('The sender: a complete number with country code, or a WhatsApp user ID.', '+44 7700 900123'),
  kind: filterText('`sms` or `whatsapp`.', 'sms'),
  to: filterText('The number of the receiving channel.', '15005550100'),
  receivedFrom: filterText('Received at or after this time: ISO 8601 with a time zone.', '2026-11-21T00:00:00Z'),
};

export const InboundData = Type.Object({
  id: Id,
  kind: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
  channelId: Id,
  contactId: Id,
  conversationId: Id,
  from: NullablePhone,
  ...WHATSAPP_PERSON,
  to: Type.String({ description: 'The number of the channel.', examples: ['15005550100'] }),
  type: Type.String({ description: 'For WhatsApp, Meta’s message type: text, image, button …', examples: ['text'] }),
  text: Type.String({ description: 'The start of the text, the caption or the button label.' }),
  receivedAt: Timestamp,
});
