import { Type } from '@sinclair/typebox';
import {
  findConversation,
  type HistoryEntry,
  type ListedConversation,
  listConversations,
  listHistory,
} from '../../../features/conversations/history-store.js';
import { windowExpiresAt } from '../../../features/conversations/window.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../messages/status/status.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { iso, NullableTimestamp, ok } from '../answers.js';
import { scopeOf } from '../channel-auth.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { found, OnePath, pathId } from '../ids.js';
import { list, listData, listOf, listQuery } from '../lists.js';

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

const HistoryData = Type.Object({ ...listData('messages', Message).properties, windowExpiresAt: WindowExpiresAt });

export type ConversationOptions = OptionsOf<typeof listConversations | typeof findConversation | typeof listHistory>;

const read = endpoint('Conversations', 'conversations:read');

export const conversationEndpoints: Endpoints<ConversationOptions> = async (app, options) => {
  app.get(
    '/conversations',
    read({
      operationId: 'listConversations',
      summary: 'List the conversations of the channel',
      description: 'Those with the newest message first. A contact has one conversation.',
      ...list('conversations', Conversation),
    }),
    ({ query, caller }) =>
      listOf(query, 'conversations', (page) => listConversations(options, scopeOf(caller), page), writeConversation),
  );

  app.get(
    '/conversations/:id/messages',
    read({
      operationId: 'listConversationMessages',
      summary: 'List the messages of a conversation',
      description: 'Both directions, the newest first.',
      params: OnePath,
      querystring: listQuery({}),
      data: HistoryData,
    }),
    async ({ params, query, caller }) => {
      const id = pathId(params.id, 'conversation');
      const { lastInboundAt } = found(await findConversation(options, scopeOf(caller), id), 'conversation');
      const { data } = await listOf(query, 'messages', (page) => listHistory(options, id, page), writeMessage);
      return ok({ ...data, windowExpiresAt: iso(windowExpiresAt(lastInboundAt)) });
    },
  );
};

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
