import type { FastifyRequest } from 'fastify';
import { inside } from '../../../../accounts/audit/change.js';
import { findWhatsappPeople } from '../../../../features/contacts/people.js';
import { findHistory, type HistoryOptions, type MessageHistory } from '../../../../features/message-history/history.js';
import { cancelMessage } from '../../../../messages/cancel/cancel.js';
import { listMessages } from '../../../../messages/search/list-messages.js';
import { describeUncancelable } from '../../../../messages/status/status-words.js';
import { AppError } from '../../../../platform/errors/app-error.js';
import { timeOfId } from '../../../../platform/ids.js';
import type { Reads } from '../../../../platform/reads/reads.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { cursorPage, ok, page } from '../../answers.js';
import { MESSAGES } from '../../contract/messages/messages.js';
import { type Endpoints, routesOf } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { messageFilter } from './message-filter.js';
import { messageData, messageEntry } from './message-views.js';

export type MessagesOptions = OptionsOf<
  typeof listMessages | typeof findHistory | typeof cancelMessage | typeof findWhatsappPeople
> & { reads: Reads };

/** The messages of an account, each with its history. */
export const messageEndpoints: Endpoints<MessagesOptions> = async (app, options) => {
  const route = routesOf(app, MESSAGES);
  const find = async (
    request: FastifyRequest,
    messageId: string,
    store: HistoryOptions = options,
  ): Promise<MessageHistory> => {
    const found = await findHistory(store, accountOf(request).id, messageId);
    if (!found) throw new AppError('NOT_FOUND', 'There is no message with this id.');
    return found;
  };

  const entries = async (
    messages: MessageHistory['message'][],
    store: Parameters<typeof findWhatsappPeople>[0] = options,
  ) => {
    const people = await findWhatsappPeople(store, messages);
    return messages.map((message) => messageEntry(message, people));
  };
  const dataOf = async (found: MessageHistory, store: Parameters<typeof findWhatsappPeople>[0] = options) =>
    messageData(found, await findWhatsappPeople(store, [found.message]));

  route('GET /accounts/:accountId/messages', async (request) => {
    const { query } = request;
    const filter = messageFilter(query, accountOf(request).id);
    if (query.messageId) {
      const found = await findHistory(options, filter.accountId, query.messageId);
      return { ...page(found ? await entries([found.message]) : [], null), searchedTo: null };
    }
    return await options.reads(async (store) => {
      const readable = { ...options, ...store };
      const { messages, next } = await listMessages(readable, filter, cursorPage(query));
      return {
        ...page(await entries(messages, readable), next),
        searchedTo: next === null ? null : timeOfId(next).toISOString(),
      };
    });
  });

  route('GET /accounts/:accountId/messages/:messageId', async (request) =>
    ok(await dataOf(await find(request, request.params.messageId))),
  );

  route('POST /accounts/:accountId/messages/:messageId/cancel', async (request) => {
    return request.change(async (change) => {
      const inChange = inside(options, change);
      const { message } = await find(request, request.params.messageId, inChange);
      const canceled = await cancelMessage(inChange, { id: message.id, accountId: message.accountId });
      const found = await find(request, message.id, inChange);
      if (!canceled) {
        const { status } = found.message;
        throw new AppError('CONFLICT', describeUncancelable(status));
      }
      const [before, after] = [message, found.message].map(({ status }) => ({ status }));
      return {
        result: ok(await dataOf(found, inChange)),
        told: { action: 'message.cancel', subject: message.id, before, after },
      };
    });
  });
};
