import { Type } from '@sinclair/typebox';
import { IdUnlessDeleted } from '../../../http/ids.js';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { NULL_IS_ABSENT } from '../../../http/validation.js';
import { ReplyBody, SendStatus, TemplateSendBody } from '../../../resources/channel-sends.js';
import { PlayedInbound } from '../../../resources/played-inbound.js';

/** The bodies of Surface B, with numbers as people write them. */
const to = Type.Optional(WrittenPhone('Whom it goes to. Required unless userId or contactId is sent.'));
export const ConsoleReplyBody = Type.Object({ ...ReplyBody.properties, to }, { [NULL_IS_ABSENT]: true });
export const ConsoleTemplateBody = Type.Object({ ...TemplateSendBody.properties, to }, { [NULL_IS_ABSENT]: true });
export const ConsolePlayedBody = Type.Object({
  ...PlayedInbound.properties,
  from: Type.Optional(WrittenPhone('Who writes. Required unless userId is sent.')),
});

export const SentData = Type.Object({
  messageId: Id,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  status: SendStatus,
});

export const PlayedData = Type.Object({
  messageId: Id,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  receivedAt: Timestamp,
});
