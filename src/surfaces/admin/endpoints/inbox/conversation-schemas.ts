import { Type } from '@sinclair/typebox';
import { LAST_TEXT_LENGTH } from '../../../../features/conversations/conversation-store.js';
import type { HistoryEntry } from '../../../../features/conversations/history-store.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../../messages/status/status.js';
import { BodyId, PathId } from '../../../http/ids.js';
import { Id, NullableText, NullableTimestamp, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

export const ChannelPath = Type.Object({ accountId: PathId, channelId: PathId });
export const ConversationPath = Type.Object({ ...ChannelPath.properties, conversationId: PathId });

const BOOLEAN_RULE = 'must be true or false';

/** What the list of conversations may be narrowed to. */
export const CONVERSATION_FILTERS = {
  unread: Type.Optional(
    Type.Boolean({
      description: 'true: those with messages that nobody has read; false: the others.',
      [RULE]: BOOLEAN_RULE,
    }),
  ),
  windowOpen: Type.Optional(
    Type.Boolean({
      description: 'true: those whose contact wrote within the last 24 hours; false: the others.',
      [RULE]: BOOLEAN_RULE,
    }),
  ),
  search: Type.Optional(Type.String({ description: 'A part of the name, number or e-mail address of the contact.' })),
};

const Direction = Type.Unsafe<HistoryEntry['direction']>({ type: 'string', enum: ['inbound', 'outbound'] });
const MessageType = Type.String({ examples: ['text', 'template', 'image', 'document', 'button', 'location'] });
const Status = Type.Unsafe<MessageStatus | null>({
  type: ['string', 'null'],
  enum: [...MESSAGE_STATUSES, null],
  description: 'Null for inbound messages.',
});

const LastMessage = Type.Object({
  id: Id,
  direction: Direction,
  type: MessageType,
  text: Type.String({ description: `The first ${LAST_TEXT_LENGTH} characters of its text; may be empty.` }),
  status: Status,
  createdAt: Timestamp,
});

export const ConversationEntry = Type.Object({
  id: Id,
  contact: Type.Object({ id: Id, phone: Type.String({ examples: ['15005550111'] }), name: Type.String() }),
  unreadCount: Type.Integer({ description: 'Messages from the contact that nobody has marked as read.' }),
  lastMessage: Type.Union([LastMessage, Type.Null()], { description: 'The newest of either direction.' }),
  lastMessageAt: Timestamp,
  windowExpiresAt: Type.Union([Timestamp, Type.Null()], {
    description: 'When the window for free text closes or closed; null when the contact never wrote.',
  }),
  createdAt: Timestamp,
});

export const ConversationData = Type.Object({
  ...ConversationEntry.properties,
  contact: Type.Object({
    ...ConversationEntry.properties.contact.properties,
    email: Type.String({ description: 'Empty where there is none.' }),
    optedOut: Type.Boolean({ description: 'The number wants no messages from the channel.' }),
    createdAt: Timestamp,
  }),
});

export const MessageEntry = Type.Object({
  id: Id,
  direction: Direction,
  type: MessageType,
  text: Type.String({ description: 'Text, caption, button text or rendered template; may be empty.' }),
  payload: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: 'What the type has beside its text; null for outbound text.',
  }),
  status: Status,
  errorCode: NullableText,
  errorMessage: NullableText,
  createdAt: Timestamp,
  sentAt: NullableTimestamp,
  deliveredAt: NullableTimestamp,
  readAt: NullableTimestamp,
});

export const ReadBody = Type.Object(
  {
    upTo: Type.Optional({
      ...BodyId,
      description:
        'The last message that was seen, of either direction: what comes in meanwhile stays unread. Without it all.',
    }),
  },
  { examples: [{ upTo: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' }] },
);
