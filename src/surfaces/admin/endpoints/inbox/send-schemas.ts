import { Type } from '@sinclair/typebox';
import { IdUnlessDeleted } from '../../../http/ids.js';
import { SendStatus } from '../../../http/schemas/channel-sends.js';
import { Id, Timestamp } from '../../../http/schemas/values.js';

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
