import { Type } from '@sinclair/typebox';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { NullablePhone, WHATSAPP_PERSON } from '../../../resources/people/people.js';

const filter = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));

/** What a list of received messages may be limited to. */
export const INBOUND_FILTERS = {
  from: filter('Who wrote: a whole number, with country code, or a user id of WhatsApp.', '+44 7911 123456'),
  kind: filter('`sms` or `whatsapp`.', 'sms'),
  to: filter('The number of the channel that it was written to.', '15005550100'),
  receivedFrom: filter('Received at this time or later: ISO 8601 with a time zone.', '2026-11-21T00:00:00Z'),
};

/** A message that a contact wrote, in a list. */
export const InboundData = Type.Object({
  id: Id,
  kind: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
  channelId: Id,
  contactId: Id,
  conversationId: Id,
  from: NullablePhone,
  ...WHATSAPP_PERSON,
  to: Type.String({ description: 'The number of the channel.', examples: ['15005550100'] }),
  type: Type.String({ description: 'Of WhatsApp as Meta names it: text, image, button …', examples: ['text'] }),
  text: Type.String({ description: 'The beginning of the text, the caption or the label of a button.' }),
  receivedAt: Timestamp,
});
