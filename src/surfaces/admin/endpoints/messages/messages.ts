import type { FastifyRequest } from 'fastify';
import { inside } from '../../../../accounts/audit/change.js';
import { findHistory, type HistoryOptions, type MessageHistory } from '../../../../features/message-history/history.js';
import { cancelMessage } from '../../../../messages/cancel/cancel.js';
import { listMessages } from '../../../../messages/search/list-messages.js';
import { AppError } from '../../../../platform/errors/app-error.js';
import { timeOfId } from '../../../../platform/ids.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { cursorPage, ok, page, pageQuery } from '../../answers.js';
import { type Endpoints, endpoint, pageEndpoint } from '../../endpoint.js';
import { accountOf } from '../../session-auth.js';
import { AccountPath } from '../accounts-schemas.js';
import { messageFilter } from './message-filter.js';
import { MESSAGE_FILTERS, MessageData, MessageEntry, MessagePath, SEARCHED } from './message-schemas.js';
import { messageData, messageEntry } from './message-views.js';

export type MessagesOptions = OptionsOf<typeof listMessages | typeof findHistory | typeof cancelMessage>;

const PATH = '/accounts/:accountId/messages';

/** The messages of an account, each with its history. */
export const messageEndpoints: Endpoints<MessagesOptions> = async (app, options) => {
  const find = async (
    request: FastifyRequest,
    messageId: string,
    store: HistoryOptions = options,
  ): Promise<MessageHistory> => {
    const found = await findHistory(store, accountOf(request).id, messageId);
    if (!found) throw new AppError('NOT_FOUND', 'There is no message with this id.');
    return found;
  };

  app.get(
    PATH,
    pageEndpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleListMessages',
      summary: 'Find messages, the newest first',
      description:
        'Of both surfaces, SMS and WhatsApp. A page is read in a bounded time however many messages there are: it may ' +
        'hold fewer than `limit`, even none, while `next` still leads on.',
      params: AccountPath,
      querystring: pageQuery(MESSAGE_FILTERS),
      entry: MessageEntry,
      more: SEARCHED,
    }),
    async (request) => {
      const { query } = request;
      const filter = messageFilter(query, accountOf(request).id);
      if (query.messageId) {
        const found = await findHistory(options, filter.accountId, query.messageId);
        return { ...page(found ? [messageEntry(found.message)] : [], null), searchedTo: null };
      }
      const { messages, next } = await listMessages(options, filter, cursorPage(query));
      return {
        ...page(messages.map(messageEntry), next),
        searchedTo: next === null ? null : timeOfId(next).toISOString(),
      };
    },
  );

  app.get(
    `${PATH}/:messageId`,
    endpoint({
      needs: 'viewer',
      of: 'account',
      operationId: 'consoleGetMessage',
      summary: 'Show a message with its history',
      params: MessagePath,
      data: MessageData,
    }),
    async (request) => ok(messageData(await find(request, request.params.messageId))),
  );

  app.post(
    `${PATH}/:messageId/cancel`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleCancelMessage',
      summary: 'Cancel a message that waits to be sent, and refund it',
      description: 'Of Surface A, while no carrier can have it: see `mayBeCanceled`. Otherwise it is 409.',
      params: MessagePath,
      data: MessageData,
      errors: [409],
    }),
    async (request) => {
      return request.change(async (change) => {
        const inChange = inside(options, change);
        const { message } = await find(request, request.params.messageId, inChange);
        const canceled = await cancelMessage(inChange, { id: message.id, accountId: message.accountId });
        const found = await find(request, message.id, inChange);
        if (!canceled) {
          const { status } = found.message;
          throw new AppError('CONFLICT', `The message is ${status}; only one that waits to be sent can be canceled.`);
        }
        const [before, after] = [message, found.message].map(({ status }) => ({ status }));
        return {
          result: ok(messageData(found)),
          told: { action: 'message.cancel', subject: message.id, before, after },
        };
      });
    },
  );
};
