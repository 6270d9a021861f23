import { Type } from '@sinclair/typebox';
import { canBeHeld } from '../../../features/contacts/search/term.js';
import {
  findConversation,
  LAST_TEXT_LENGTH,
  type ListedConversation,
} from '../../../features/conversations/conversation-store.js';
import { listConversations, markRead } from '../../../features/conversations/conversations.js';
import { type HistoryEntry, listHistory } from '../../../features/conversations/history-store.js';
import { windowExpiresAt } from '../../../features/conversations/window.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../messages/status/status.js';
import { BodyId, bodyId, found, notFound, OnePath, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, iso, NullableText, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { ok } from '../answers.js';
import { scopeOf } from '../channel-auth.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { listData, listOf, listQuery, Search } from '../lists.js';

const WindowExpiresAt = Type.Union([Timestamp, Type.Null()], {
  description:
    'When the window for free text closes or closed: 24 hours after the last message of the contact. Null when it never wrote.',
});

const Direction = Type.Unsafe<HistoryEntry['direction']>({ type: 'string', enum: ['inbound', 'outbound'] });
const MessageType = Type.String({
  description: '`binary` for an SMS that is no text: `payload.data` holds its octets as base64.',
  examples: ['text', 'template', 'image', 'document', 'button', 'location'],
});
const Status = Type.Unsafe<MessageStatus | null>({
  type: ['string', 'null'],
  enum: [...MESSAGE_STATUSES, null],
  description: 'Null for inbound messages.',
});
const CreatedAt = Type.String({ ...Timestamp, description: 'When it was accepted, or when the contact sent it.' });

const LastMessage = Type.Object({
  id: Id,
  direction: Direction,
  type: MessageType,
  text: Type.String({ description: `The first ${LAST_TEXT_LENGTH} characters of its text; may be empty.` }),
  status: Status,
  createdAt: CreatedAt,
});

const Conversation = Type.Object({
  id: Id,
  contactId: Id,
  contact: Type.Object({ phone: Type.String(), name: Type.String() }),
  unreadCount: Type.Integer({ description: 'Messages from the contact that nobody has marked as read.' }),
  lastMessage: Type.Union([LastMessage, Type.Null()], {
    description: 'The newest of either direction, if there is one.',
  }),
  lastMessageAt: Type.String({ ...Timestamp, description: 'Of either direction.' }),
  windowExpiresAt: WindowExpiresAt,
  createdAt: Timestamp,
});

const BOOLEAN_RULE = 'must be true or false';
const ListQuery = listQuery({
  unread: Type.Optional(
    Type.Boolean({
      description: 'true: those with messages that are not marked as read; false: the others.',
      [RULE]: BOOLEAN_RULE,
    }),
  ),
  windowOpen: Type.Optional(
    Type.Boolean({
      description: 'true: those whose contact wrote within the last 24 hours; false: the others.',
      [RULE]: BOOLEAN_RULE,
    }),
  ),
  search: Type.Optional(Search),
});

const ReadBody = Type.Object(
  {
    upTo: Type.Optional({
      ...BodyId,
      description: 'The last message that was read, of either direction. Without it all are.',
    }),
  },
  { examples: [{}, { upTo: '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55' }] },
);

const Message = Type.Object({
  id: Id,
  direction: Direction,
  type: MessageType,
  text: Type.String({ description: 'Text, caption, button text or rendered template; may be empty.' }),
  payload: Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], {
    description: 'What the type has beside its text; null for outbound text.',
  }),
  whatsappMessageId: NullableText,
  status: Status,
  errorCode: NullableText,
  errorMessage: NullableText,
  createdAt: CreatedAt,
  sentAt: NullableTimestamp,
  deliveredAt: NullableTimestamp,
  readAt: NullableTimestamp,
});

const HistoryData = Type.Object({ ...listData('messages', Message).properties, windowExpiresAt: WindowExpiresAt });

export type ConversationOptions = OptionsOf<
  typeof listConversations | typeof findConversation | typeof markRead | typeof listHistory
>;

const read = endpoint('Conversations', 'conversations:read');
const write = endpoint('Conversations', 'conversations:write');

export const conversationEndpoints: Endpoints<ConversationOptions> = async (app, options) => {
  app.get(
    '/conversations',
    read({
      operationId: 'listConversations',
      summary: 'List the conversations of the channel',
      description: 'Those with the newest message first. A contact has one conversation.',
      querystring: ListQuery,
      data: listData('conversations', Conversation),
    }),
    ({ query, caller }) => {
      const { unread, windowOpen, search = '' } = query;
      const find = async (page: { limit: number; offset: number }) =>
        // What no contact can hold matches none.
        canBeHeld(search)
          ? await listConversations(options, scopeOf(caller), { unread, windowOpen, search }, page)
          : { conversations: [], total: 0 };
      return listOf(query, 'conversations', find, writeConversation);
    },
  );

  app.get(
    '/conversations/:id',
    read({ operationId: 'getConversation', summary: 'Read a conversation', params: OnePath, data: Conversation }),
    async ({ params, caller }) => {
      const id = pathId(params.id, 'conversation');
      return ok(writeConversation(found(await findConversation(options, scopeOf(caller), id), 'conversation')));
    },
  );

  app.post(
    '/conversations/:id/read',
    {
      ...write({
        operationId: 'markConversationRead',
        summary: 'Mark what the contact wrote as read',
        description:
          'All of it, or up to a message, so that one that came in the meantime stays unread. The contact is told nothing.',
        params: OnePath,
        body: ReadBody,
        data: Conversation,
      }),
      // The body may be left out.
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    async ({ params, body: { upTo }, caller }) => {
      const id = pathId(params.id, 'conversation');
      const last = upTo === undefined ? null : bodyId(upTo, 'upTo');
      if (!(await markRead(options, scopeOf(caller), id, last))) throw notFound('conversation');
      return ok(writeConversation(found(await findConversation(options, scopeOf(caller), id), 'conversation')));
    },
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

function writeConversation({ id, contactId, phone, name, unreadCount, lastMessage, ...times }: ListedConversation) {
  return {
    id,
    contactId,
    contact: { phone, name },
    unreadCount,
    lastMessage: lastMessage && { ...lastMessage, createdAt: new Date(lastMessage.createdAt).toISOString() },
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
