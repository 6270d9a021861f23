import { Type } from '@sinclair/typebox';
import { IdUnlessDeleted } from '../../../http/ids.js';
import { WrittenPhone } from '../../../http/schemas/phones.js';
import { Id, Timestamp } from '../../../http/schemas/values.js';
import { NULL_IS_ABSENT } from '../../../http/validation.js';
import { ReplyBody, SendStatus, TemplateSendBody } from '../../../resources/channel-sends.js';
import { PlayedInbound } from '../../../resources/played-inbound.js';

/** The bodies of Surface B, with numbers as people write them. */
const to = WrittenPhone('Whom it goes to.');
export const ConsoleReplyBody = Type.Object({ ...ReplyBody.properties, to });
export const ConsoleTemplateBody = Type.Object({ ...TemplateSendBody.properties, to }, { [NULL_IS_ABSENT]: true });
export const ConsolePlayedBody = Type.Object({ ...PlayedInbound.properties, from: WrittenPhone('Who writes.') });

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
