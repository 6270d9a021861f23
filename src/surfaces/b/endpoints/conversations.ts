import { Type } from '@sinclair/typebox';
import { isSearchable } from '../../../features/contacts/search/term.js';
import { findConversation, type ListedConversation } from '../../../features/conversations/conversation-store.js';
import { listConversations, markConversationRead } from '../../../features/conversations/conversations.js';
import { type HistoryEntry, listHistory } from '../../../features/conversations/history-store.js';
import { windowExpiresAt } from '../../../features/conversations/window.js';
import { bodyId, OnePath, pathId, requireFound } from '../../http/ids.js';
import { Id, iso, NullableText, Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import {
  CONVERSATION_FILTERS,
  conversationRecord,
  LastMessage,
  MESSAGE_CONTENT,
  MESSAGE_DELIVERY,
  messageRecord,
  ReadBody,
  UnreadCount,
  WindowExpiresAt,
} from '../../resources/people/conversations.js';
import { PERSON } from '../../resources/people/people.js';
import { ok } from '../answers.js';
import { CONVERSATIONS, type Endpoints } from '../endpoint.js';
import { answerList, listData, listQuery, Search } from '../lists.js';

const Conversation = Type.Object({
  id: Id,
  contactId: Id,
  contact: Type.Object({ ...PERSON, name: Type.String() }),
  unreadCount: UnreadCount,
  lastMessage: Type.Union([LastMessage, Type.Null()], {
    description: 'The newest message, inbound or outbound; null if there is none.',
  }),
  lastMessageAt: Type.String({ ...Timestamp, description: 'Time of the newest message, inbound or outbound.' }),
  windowExpiresAt: WindowExpiresAt,
  createdAt: Timestamp,
});

const ListQuery = listQuery({ ...CONVERSATION_FILTERS, search: Type.Optional(Search) });

const Message = Type.Object({ ...MESSAGE_CONTENT, whatsappMessageId: NullableText, ...MESSAGE_DELIVERY });

const HistoryData = Type.Object({ ...listData('messages', Message).properties, windowExpiresAt: WindowExpiresAt });

export type ConversationOptions = UseCaseOptions<
  typeof listConversations | typeof findConversation | typeof markConversationRead | typeof listHistory
>;

export const conversationEndpoints: Endpoints<ConversationOptions> = async (app, options) => {
  app.get(
    '/conversations',
    CONVERSATIONS.read({
      operationId: 'listConversations',
      summary: 'List the conversations of the channel',
      description: 'Ordered by their newest message, newest first. Each contact has one conversation.',
      querystring: ListQuery,
      data: listData('conversations', Conversation),
    }),
    ({ query, caller }) => {
      const { unread, windowOpen, search = '' } = query;
      const find = async (page: { limit: number; offset: number }) =>
        isSearchable(search)
          ? await listConversations(options, channelScope(caller), { unread, windowOpen, search }, page)
          : { conversations: [], total: 0 };
      return answerList(query, 'conversations', find, toConversation);
    },
  );

  app.get(
    '/conversations/:id',
    CONVERSATIONS.read({
      operationId: 'getConversation',
      summary: 'Get a conversation',
      params: OnePath,
      data: Conversation,
    }),
    async ({ params, caller }) => {
      const id = pathId(params.id, 'conversation');
      return ok(
        toConversation(requireFound(await findConversation(options, channelScope(caller), id), 'conversation')),
      );
    },
  );

  app.post(
    '/conversations/:id/read',
    {
      ...CONVERSATIONS.write({
        operationId: 'markConversationRead',
        summary: 'Mark inbound messages of a conversation as read',
        description: 'Marks all inbound messages, or only those up to a certain message. The contact is not notified.',
        params: OnePath,
        body: ReadBody,
        optionalBody: true,
        data: Conversation,
      }),
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    async ({ params, body: { upTo }, caller }) => {
      const lastReadId = upTo === undefined ? null : bodyId(upTo, 'upTo');
      const requestedId = pathId(params.id, 'conversation');
      const id = requireFound(
        await markConversationRead(options, channelScope(caller), requestedId, lastReadId),
        'conversation',
      );
      return ok(
        toConversation(requireFound(await findConversation(options, channelScope(caller), id), 'conversation')),
      );
    },
  );

  app.get(
    '/conversations/:id/messages',
    CONVERSATIONS.read({
      operationId: 'listConversationMessages',
      summary: 'List the messages of a conversation',
      description: 'Inbound and outbound messages, newest first.',
      params: OnePath,
      querystring: listQuery({}),
      data: HistoryData,
    }),
    async ({ params, query, caller }) => {
      const requestedId = pathId(params.id, 'conversation');
      const { id, lastInboundAt } = requireFound(
        await findConversation(options, channelScope(caller), requestedId),
        'conversation',
      );
      const { data } = await answerList(query, 'messages', (page) => listHistory(options, id, page), toMessage);
      return ok({ ...data, windowExpiresAt: iso(windowExpiresAt(lastInboundAt)) });
    },
  );
};

function toConversation(conversation: ListedConversation) {
  const { contactId, phone, userId, username, name } = conversation;
  return { ...conversationRecord(conversation), contactId, contact: { phone, userId, username, name } };
}

function toMessage({ carrierMessageId, ...entry }: HistoryEntry) {
  return { ...messageRecord(entry), whatsappMessageId: carrierMessageId };
}
