import { Type } from '@sinclair/typebox';
import { PathId } from '../../../http/ids.js';
import { Id, NullableText, Timestamp } from '../../../http/schemas/values.js';
import { CONTACT_FIELD_SCHEMAS } from '../../../resources/people/contacts.js';
import {
  CONVERSATION_FILTERS,
  LastMessage,
  MESSAGE_CONTENT,
  MESSAGE_DELIVERY,
  UnreadCount,
  WindowExpiresAt,
} from '../../../resources/people/conversations.js';
import { PERSON } from '../../../resources/people/people.js';
import { pageQuery } from '../../answers.js';
import { ChannelPath } from '../paths.js';

export const ConversationPath = Type.Object({ ...ChannelPath.properties, conversationId: PathId });

export const ConversationListQuery = pageQuery({
  ...CONVERSATION_FILTERS,
  search: Type.Optional(Type.String({ description: 'Part of the name, number or e-mail address of the contact.' })),
});

export const ConversationEntry = Type.Object({
  id: Id,
  contact: Type.Object({ id: Id, ...PERSON, name: Type.String() }),
  unreadCount: UnreadCount,
  lastMessage: Type.Union([LastMessage, Type.Null()], { description: 'The newest message, inbound or outbound.' }),
  lastMessageAt: Timestamp,
  windowExpiresAt: WindowExpiresAt,
  createdAt: Timestamp,
});

export const ConversationData = Type.Object({
  ...ConversationEntry.properties,
  contact: Type.Object({
    ...ConversationEntry.properties.contact.properties,
    ...CONTACT_FIELD_SCHEMAS,
    optedOut: Type.Boolean({ description: 'The contact has opted out of messages from the channel.' }),
    createdAt: Timestamp,
  }),
});

export const MessageEntry = Type.Object({
  ...MESSAGE_CONTENT,
  carrierMessageId: NullableText,
  ...MESSAGE_DELIVERY,
  keywordReply: Type.Union(
    [
      Type.Object({
        messageId: Type.Union([Id, Type.Null()], { description: 'The reply.' }),
        code: NullableText,
        reason: Type.Union([Type.String(), Type.Null()], { description: 'Why there is no reply.' }),
      }),
      Type.Null(),
    ],
    { description: 'What happened to the reply to STOP, START or HELP; null for other messages.' },
  ),
});
