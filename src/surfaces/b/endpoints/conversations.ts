import { Type } from '@sinclair/typebox';
import { canBeHeld } from '../../../features/contacts/search/term.js';
import { findConversation, type ListedConversation } from '../../../features/conversations/conversation-store.js';
import { listConversations, markConversationRead } from '../../../features/conversations/conversations.js';
import { type HistoryEntry, listHistory } from '../../../features/conversations/history-store.js';
import { windowExpiresAt } from '../../../features/conversations/window.js';
import { bodyId, found, OnePath, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, iso, NullableText, Timestamp } from '../../http/schemas/values.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import {
  CONVERSATION_FILTERS,
  conversationRecord,
  LastMessage,
  MESSAGE_CONTENT,
  MESSAGE_FATE,
  messageRecord,
  ReadBody,
  UnreadCount,
  WindowExpiresAt,
} from '../../resources/people/conversations.js';
import { PERSON } from '../../resources/people/people.js';
import { ok } from '../answers.js';
import { CONVERSATIONS, type Endpoints } from '../endpoint.js';
import { listData, listOf, listQuery, Search } from '../lists.js';

const Conversation = Type.Object({
  id: Id,
  contactId: Id,
  contact: Type.Object({ ...PERSON, name: Type.String() }),
  unreadCount: UnreadCount,
  lastMessage: Type.Union([LastMessage, Type.Null()], {
    description: 'The newest of either direction, if there is one.',
  }),
  lastMessageAt: Type.String({ ...Timestamp, description: 'Of either direction.' }),
  windowExpiresAt: WindowExpiresAt,
  createdAt: Timestamp,
});

const ListQuery = listQuery({ ...CONVERSATION_FILTERS, search: Type.Optional(Search) });

const Message = Type.Object({ ...MESSAGE_CONTENT, whatsappMessageId: NullableText, ...MESSAGE_FATE });

const HistoryData = Type.Object({ ...listData('messages', Message).properties, windowExpiresAt: WindowExpiresAt });

export type ConversationOptions = OptionsOf<
  typeof listConversations | typeof findConversation | typeof markConversationRead | typeof listHistory
>;

export const conversationEndpoints: Endpoints<ConversationOptions> = async (app, options) => {
  app.get(
    '/conversations',
    CONVERSATIONS.read({
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
    CONVERSATIONS.read({
      operationId: 'getConversation',
      summary: 'Read a conversation',
      params: OnePath,
      data: Conversation,
    }),
    async ({ params, caller }) => {
      const id = pathId(params.id, 'conversation');
      return ok(writeConversation(found(await findConversation(options, scopeOf(caller), id), 'conversation')));
    },
  );

  app.post(
    '/conversations/:id/read',
    {
      ...CONVERSATIONS.write({
        operationId: 'markConversationRead',
        summary: 'Mark what the contact wrote as read',
        description:
          'All of it, or up to a message, so that one that came in the meantime stays unread. The contact is told nothing.',
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
      const last = upTo === undefined ? null : bodyId(upTo, 'upTo');
      const asked = pathId(params.id, 'conversation');
      const id = found(await markConversationRead(options, scopeOf(caller), asked, last), 'conversation');
      return ok(writeConversation(found(await findConversation(options, scopeOf(caller), id), 'conversation')));
    },
  );

  app.get(
    '/conversations/:id/messages',
    CONVERSATIONS.read({
      operationId: 'listConversationMessages',
      summary: 'List the messages of a conversation',
      description: 'Both directions, the newest first.',
      params: OnePath,
      querystring: listQuery({}),
      data: HistoryData,
    }),
    async ({ params, query, caller }) => {
      const asked = pathId(params.id, 'conversation');
      const { id, lastInboundAt } = found(await findConversation(options, scopeOf(caller), asked), 'conversation');
      const { data } = await listOf(query, 'messages', (page) => listHistory(options, id, page), writeMessage);
      return ok({ ...data, windowExpiresAt: iso(windowExpiresAt(lastInboundAt)) });
    },
  );
};

function writeConversation(conversation: ListedConversation) {
  const { contactId, phone, userId, username, name } = conversation;
  return { ...conversationRecord(conversation), contactId, contact: { phone, userId, username, name } };
}

function writeMessage({ carrierMessageId, ...entry }: HistoryEntry) {
  return { ...messageRecord(entry), whatsappMessageId: carrierMessageId };
}
