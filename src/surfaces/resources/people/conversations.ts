import { Type } from '@sinclair/typebox';
import { LAST_TEXT_LENGTH, type ListedConversation } from '../../../features/conversations/conversation-store.js';
import type { HistoryEntry } from '../../../features/conversations/history-store.js';
import { windowExpiresAt } from '../../../features/conversations/window.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../messages/message-status.js';
import { BodyId } from '../../http/ids.js';
import { Id, iso, NullableText, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

const BOOLEAN_RULE = 'must be true or false';

export const CONVERSATION_FILTERS = {
  unread: Type.Optional(
    Type.Boolean({
      description: 'true: only conversations with unread messages; false: only conversations without any.',
      [RULE]: BOOLEAN_RULE,
    }),
  ),
  windowOpen: Type.Optional(
    Type.Boolean({
      description: 'true: only contacts who wrote within the last 24 hours; false: only the others.',
      [RULE]: BOOLEAN_RULE,
    }),
  ),
};

const Direction = Type.Unsafe<HistoryEntry['direction']>({ type: 'string', enum: ['inbound', 'outbound'] });
const MessageType = Type.String({
  description: '`binary` for a binary SMS: `payload.data` holds its bytes as base64.',
  examples: ['text', 'template', 'image', 'document', 'button', 'location'],
});
const Status = Type.Unsafe<MessageStatus | null>({
  type: ['string', 'null'],
  enum: [...MESSAGE_STATUSES, null],
  description: 'Null for inbound messages.',
});
const CreatedAt = Type.String({ ...Timestamp, description: 'When it was accepted, or when the contact sent it.' });

export const LastMessage = Type.Object({
  id: Id,
  direction: Direction,
  type: MessageType,
  text: Type.String({ description: `The first ${LAST_TEXT_LENGTH} characters of the text; may be empty.` }),
  status: Status,
  createdAt: CreatedAt,
});

export const UnreadCount = Type.Integer({
  description: 'Messages from the contact that are not marked as read.',
});

export const WindowExpiresAt = Type.Union([Timestamp, Type.Null()], {
  description:
    'When the window for free text closes or closed: 24 hours after the last message from the contact. Null if the contact has never written.',
});

export const MESSAGE_CONTENT = {
  id: Id,
  direction: Direction,
  type: MessageType,
  text: Type.String({ description: 'Text, caption, button text or rendered template; may be empty.' }),
  payload: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description:
      'Content other than the text, depending on the type; null for outbound text. For a template, `shown` is what the phone displays, as sent: header, footer, buttons, an offer, the cards of a carousel.',
  }),
};

export const MESSAGE_DELIVERY = {
  status: Status,
  errorCode: NullableText,
  errorMessage: NullableText,
  editedAt: { ...NullableTimestamp, description: 'When the author last edited it.' },
  revokedAt: { ...NullableTimestamp, description: 'When the author deleted it for everyone; its text is then empty.' },
  createdAt: CreatedAt,
  sentAt: NullableTimestamp,
  deliveredAt: NullableTimestamp,
  readAt: NullableTimestamp,
};

export const ReadBody = Type.Object(
  {
    upTo: Type.Optional({
      ...BodyId,
      description:
        'The last message that was read, inbound or outbound; later messages stay unread. Without it, all messages are marked as read.',
    }),
  },
  { examples: [{}, { upTo: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' }] },
);

export function conversationRecord({ id, unreadCount, lastMessage, ...times }: ListedConversation) {
  return {
    id,
    unreadCount,
    lastMessage: lastMessage && { ...lastMessage, createdAt: new Date(lastMessage.createdAt).toISOString() },
    lastMessageAt: times.lastMessageAt.toISOString(),
    windowExpiresAt: iso(windowExpiresAt(times.lastInboundAt)),
    createdAt: times.createdAt.toISOString(),
  };
}

export function messageRecord({
  payload,
  createdAt,
  sentAt,
  editedAt,
  revokedAt,
  deliveredAt,
  readAt,
  keywordReply: _keywordReply,
  ...entry
}: Omit<HistoryEntry, 'carrierMessageId'>) {
  return {
    ...entry,
    payload: payload as Record<string, unknown> | null,
    createdAt: createdAt.toISOString(),
    sentAt: iso(sentAt),
    editedAt: iso(editedAt),
    revokedAt: iso(revokedAt),
    deliveredAt: iso(deliveredAt),
    readAt: iso(readAt),
  };
}
