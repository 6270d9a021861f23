import { Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import {
  findConversation,
  type HistoryEntry,
  type ListedConversation,
  listConversations,
  listHistory,
} from '../../../features/conversations/history.js';
import { windowExpiresAt } from '../../../features/conversations/window.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../messages/status/status.js';
import {
  answer,
  Id,
  listData,
  listQuery,
  NullableTimestamp,
  notFound,
  ok,
  PathId,
  pageOf,
  pathId,
  type SurfaceBRoutes,
  Timestamp,
} from '../shared.js';

const WindowExpiresAt = Type.Union([Timestamp, Type.Null()], {
  description:
    'When the window for free text closes or closed: 24 hours after the last message of the contact. Null when it never wrote.',
});

const Conversation = Type.Object({
  id: Id,
  contactId: Id,
  contact: Type.Object({ phone: Type.String(), name: Type.String() }),
  lastMessageAt: Type.String({ ...Timestamp, description: 'Of either direction.' }),
  windowExpiresAt: WindowExpiresAt,
  createdAt: Timestamp,
});

const NullableText = Type.Union([Type.String(), Type.Null()]);

const Message = Type.Object({
  id: Id,
  direction: Type.Unsafe<HistoryEntry['direction']>({ type: 'string', enum: ['inbound', 'outbound'] }),
  type: Type.String({ examples: ['text', 'template', 'image', 'document', 'button', 'location'] }),
  text: Type.String({ description: 'Text, caption, button text or rendered template; may be empty.' }),
  payload: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: 'What the type has beside its text; null for outbound text.',
  }),
  whatsappMessageId: NullableText,
  status: Type.Unsafe<MessageStatus | null>({
    type: ['string', 'null'],
    enum: [...MESSAGE_STATUSES, null],
    description: 'Null for inbound messages.',
  }),
  errorCode: NullableText,
  errorMessage: NullableText,
  createdAt: Type.String({ ...Timestamp, description: 'When it was accepted, or when the contact sent it.' }),
  sentAt: NullableTimestamp,
  deliveredAt: NullableTimestamp,
  readAt: NullableTimestamp,
});

export const conversationRoutes: SurfaceBRoutes = async (app, { deps }) => {
  app.get(
    '/conversations',
    {
      config: { scope: 'conversations:read' },
      schema: {
        operationId: 'listConversations',
        tags: ['Conversations'],
        summary: 'List the conversations of the channel',
        description: 'Those with the newest message first. A contact has one conversation.',
        querystring: listQuery({}),
        response: { 200: answer(listData('conversations', Conversation)) },
      },
    },
    async ({ query, caller }) => {
      const page = pageOf(query);
      const { conversations, total } = await listConversations(deps.pool, scopeOf(caller), page);
      return ok({ conversations: conversations.map(writeConversation), total, ...page });
    },
  );

  app.get(
    '/conversations/:id/messages',
    {
      config: { scope: 'conversations:read' },
      schema: {
        operationId: 'listConversationMessages',
        tags: ['Conversations'],
        summary: 'List the messages of a conversation',
        description: 'Both directions, the newest first.',
        params: Type.Object({ id: PathId }),
        querystring: listQuery({}),
        response: {
          200: answer(Type.Object({ ...listData('messages', Message).properties, windowExpiresAt: WindowExpiresAt })),
        },
      },
    },
    async ({ params, query, caller }) => {
      const id = pathId(params.id, 'conversation');
      const conversation = await findConversation(deps.pool, scopeOf(caller), id);
      if (!conversation) throw notFound('conversation');
      const page = pageOf(query);
      const { messages, total } = await listHistory(deps.pool, id, page);
      const expiresAt = iso(windowExpiresAt(conversation.lastInboundAt));
      return ok({ messages: messages.map(writeMessage), total, ...page, windowExpiresAt: expiresAt });
    },
  );
};

function scopeOf({ account, channel }: ChannelCaller) {
  return { accountId: account.id, channelId: channel.id };
}

function iso(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

function writeConversation({ id, contactId, phone, name, ...times }: ListedConversation) {
  return {
    id,
    contactId,
    contact: { phone, name },
    lastMessageAt: times.lastMessageAt.toISOString(),
    windowExpiresAt: iso(windowExpiresAt(times.lastInboundAt)),
    createdAt: times.createdAt.toISOString(),
  };
}

function writeMessage({ carrierMessageId, payload, createdAt, sentAt, deliveredAt, readAt, ...rest }: HistoryEntry) {
  return {
    ...rest,
    payload: payload as Record<string, unknown> | null,
    whatsappMessageId: carrierMessageId,
    createdAt: createdAt.toISOString(),
    sentAt: iso(sentAt),
    deliveredAt: iso(deliveredAt),
    readAt: iso(readAt),
  };
}
