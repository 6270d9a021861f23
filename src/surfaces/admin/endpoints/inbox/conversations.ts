import { readContact } from '../../../../features/contacts/change.js';
import { pickFields } from '../../../../features/contacts/contact-fields.js';
import { type ContactRecord, loadContactRecords } from '../../../../features/contacts/record.js';
import { isSearchable } from '../../../../features/contacts/search/term.js';
import {
  type ConversationCursor,
  findConversation,
  type ListedConversation,
} from '../../../../features/conversations/conversation-store.js';
import { listConversationsAfter, markConversationRead } from '../../../../features/conversations/conversations.js';
import { type HistoryEntry, listHistoryBefore } from '../../../../features/conversations/history-store.js';
import { invalidField } from '../../../../platform/errors/app-error.js';
import { isUuid } from '../../../../platform/ids.js';
import { LAST_MOMENT } from '../../../../platform/timestamps.js';
import { bodyId, pathId, requireFound } from '../../../http/ids.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { conversationRecord, messageRecord } from '../../../resources/people/conversations.js';
import { cursorPage, ok, page } from '../../answers.js';
import { CONVERSATIONS } from '../../contract/inbox/conversations.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestScope } from '../../session-auth.js';

export type ConversationsOptions = UseCaseOptions<
  | typeof listConversationsAfter
  | typeof findConversation
  | typeof listHistoryBefore
  | typeof markConversationRead
  | typeof readContact
>;

export const conversationEndpoints: Endpoints<ConversationsOptions> = async (app, options) => {
  const route = registerRoutes(app, CONVERSATIONS);
  route('GET /accounts/:accountId/channels/:channelId/conversations', async (request) => {
    const { cursor = '', limit, search, unread, windowOpen } = request.query;
    // A search for characters that the store cannot contain matches no conversation.
    if (!isSearchable(search ?? '')) return page([], null);
    const filter = { search, unread, windowOpen };
    const pageRequest = { limit: cursorPage({ limit }).limit, after: parseCursor(cursor) };
    const { conversations, next } = await listConversationsAfter(options, requestScope(request), filter, pageRequest);
    return page(conversations.map(toEntry), next && toCursor(next));
  });

  route('GET /accounts/:accountId/channels/:channelId/conversations/:conversationId', async (request) => {
    const scope = requestScope(request);
    const id = pathId(request.params.conversationId, 'conversation');
    const conversation = requireFound(await findConversation(options, scope, id), 'conversation');
    const row = requireFound(await readContact(options, { ...scope, id: conversation.contactId }), 'conversation');
    const [record] = await loadContactRecords(options.pool, scope.channelId, [row]);
    const { phone, userId, username, optedOut, createdAt, ...fields } = record as ContactRecord;
    return ok({
      ...toEntry(conversation),
      contact: { id: row.id, phone, userId, username, ...pickFields(fields), optedOut, createdAt },
    });
  });

  route('GET /accounts/:accountId/channels/:channelId/conversations/:conversationId/messages', async (request) => {
    const requestedId = pathId(request.params.conversationId, 'conversation');
    const { id } = requireFound(await findConversation(options, requestScope(request), requestedId), 'conversation');
    const { messages, next } = await listHistoryBefore(options, id, cursorPage(request.query));
    const entries = messages.map((message) => ({
      ...messageRecord(message),
      carrierMessageId: message.carrierMessageId,
      keywordReply: toKeywordReply(message.keywordReply),
    }));
    return page(entries, next);
  });

  route('POST /accounts/:accountId/channels/:channelId/conversations/:conversationId/read', async (request) => {
    const { upTo } = request.body;
    const requestedId = pathId(request.params.conversationId, 'conversation');
    const lastReadId = upTo === undefined ? null : bodyId(upTo, 'upTo');
    return request.change(async (change) => {
      const store = { pool: change.client };
      const id = requireFound(
        await markConversationRead(store, requestScope(request), requestedId, lastReadId),
        'conversation',
      );
      const conversation = requireFound(await findConversation(store, requestScope(request), id), 'conversation');
      return { result: ok(toEntry(conversation)), audit: { action: 'conversation.read', subject: id } };
    });
  });
};

/** A cursor consists of the time of the last message in milliseconds and the conversation's ID. */
function toCursor({ lastMessageAt, id }: ConversationCursor): string {
  return `${lastMessageAt.getTime()}.${id}`;
}

function parseCursor(cursor: string): ConversationCursor | null {
  if (cursor === '') return null;
  const [time = '', id = ''] = cursor.split('.', 2);
  const isTime = /^\d{1,15}$/.test(time) && Number(time) <= LAST_MOMENT;
  if (!isTime || !isUuid(id)) throw invalidField('cursor', 'must be `next` of the previous page');
  return { lastMessageAt: new Date(Number(time)), id };
}

function toEntry(conversation: ListedConversation) {
  const { contactId, phone, userId, username, name } = conversation;
  return { ...conversationRecord(conversation), contact: { id: contactId, phone, userId, username, name } };
}

function toKeywordReply(result: HistoryEntry['keywordReply']) {
  if (result === null) return null;
  const { messageId, code, reason = null } = result;
  return { messageId, code, reason };
}
