import type { FastifyRequest } from 'fastify';
import { bindToTransaction } from '../../../../accounts/audit/change.js';
import { findWhatsappPeople } from '../../../../features/contacts/people.js';
import { findHistory, type HistoryOptions, type MessageHistory } from '../../../../features/message-history/history.js';
import { cancelMessage } from '../../../../messages/cancel/cancel.js';
import { listMessages } from '../../../../messages/search/list-messages.js';
import { describeUncancelable } from '../../../../messages/status/status-words.js';
import { AppError, notFound } from '../../../../platform/errors/app-error.js';
import { readIdTime } from '../../../../platform/ids.js';
import type { Reads } from '../../../../platform/reads/reads.js';
import type { UseCaseOptions } from '../../../http/use-case-options.js';
import { cursorPage, ok, page } from '../../answers.js';
import { MESSAGES } from '../../contract/messages/messages.js';
import { type Endpoints, registerRoutes } from '../../endpoint.js';
import { requestAccount } from '../../session-auth.js';
import { readMessageFilter } from './message-filter.js';
import { messageData, messageEntry } from './message-views.js';

export type MessagesOptions = UseCaseOptions<
  typeof listMessages | typeof findHistory | typeof cancelMessage | typeof findWhatsappPeople
> & { reads: Reads };

export const messageEndpoints: Endpoints<MessagesOptions> = async (app, options) => {
  const route = registerRoutes(app, MESSAGES);
  const requireHistory = async (
    request: FastifyRequest,
    messageId: string,
    store: HistoryOptions = options,
  ): Promise<MessageHistory> => {
    const history = await findHistory(store, requestAccount(request).id, messageId);
    if (!history) throw notFound('message');
    return history;
  };

  const toEntries = async (
    messages: MessageHistory['message'][],
    store: Parameters<typeof findWhatsappPeople>[0] = options,
  ) => {
    const people = await findWhatsappPeople(store, messages);
    return messages.map((message) => messageEntry(message, people));
  };
  const toData = async (history: MessageHistory, store: Parameters<typeof findWhatsappPeople>[0] = options) =>
    messageData(history, await findWhatsappPeople(store, [history.message]));

  route('GET /accounts/:accountId/messages', async (request) => {
    const { query } = request;
    const filter = readMessageFilter(query, requestAccount(request).id);
    if (query.messageId) {
      const history = await findHistory(options, filter.accountId, query.messageId);
      return { ...page(history ? await toEntries([history.message]) : [], null), searchedTo: null };
    }
    return await options.reads(async (store) => {
      const readable = { ...options, ...store };
      const { messages, next } = await listMessages(readable, filter, cursorPage(query));
      return {
        ...page(await toEntries(messages, readable), next),
        searchedTo: next === null ? null : readIdTime(next).toISOString(),
      };
    });
  });

  route('GET /accounts/:accountId/messages/:messageId', async (request) =>
    ok(await toData(await requireHistory(request, request.params.messageId))),
  );

  route('POST /accounts/:accountId/messages/:messageId/cancel', async (request) => {
    return request.change(async (change) => {
      const inTransaction = bindToTransaction(options, change);
      const { message } = await requireHistory(request, request.params.messageId, inTransaction);
      const canceled = await cancelMessage(inTransaction, { id: message.id, accountId: message.accountId });
      const history = await requireHistory(request, message.id, inTransaction);
      if (!canceled) {
        const { status } = history.message;
        throw new AppError('CONFLICT', describeUncancelable(status));
      }
      const [before, after] = [message, history.message].map(({ status }) => ({ status }));
      return {
        result: ok(await toData(history, inTransaction)),
        audit: { action: 'message.cancel', subject: message.id, before, after },
      };
    });
  });
};
