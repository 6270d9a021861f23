import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { AccountRef } from '../../../accounts/account-ref.js';
import { findWhatsappPeople } from '../../../features/contacts/people.js';
import { cancelMessage } from '../../../messages/cancel/cancel.js';
import { listMessages } from '../../../messages/search/list-messages.js';
import { type FoundMessage, findMessage } from '../../../messages/status/find-message.js';
import { describeUncancelable } from '../../../messages/status/status-words.js';
import { AppError } from '../../../platform/errors/app-error.js';
import type { OptionsOf } from '../../http/options-of.js';
import { answerPage, cursorPage, pageAnswer, pageQuery } from '../cursor-page.js';
import { EXTENSION } from './extension.js';
import { MESSAGE_FILTERS, messageFilter } from './message-filters.js';
import { answerMessage, MessageAnswer, MessageEntry, messageEntry } from './message-view.js';
import { errorsV2, READ_ERRORS } from './v1-schemas.js';

const SECURITY = [{ bearer: [] }];

const Params = Type.Object({ message_id: Type.String({ description: 'From the answer of the send.' }) });

export type MessageEndpointsOptions = OptionsOf<
  typeof findMessage | typeof cancelMessage | typeof listMessages | typeof findWhatsappPeople
>;

/** What a sender may ask about one message, and do to it: below `/v2/messages`. */
export const endpointsMessages: FastifyPluginAsyncTypebox<MessageEndpointsOptions> = async (app, options) => {
  const find = async (account: AccountRef, id: string): Promise<FoundMessage> => {
    const found = await findMessage(options, account.id, id);
    if (!found) throw new AppError('NOT_FOUND', 'There is no message with this message_id.');
    return found;
  };

  const answer = async (found: FoundMessage, { currency }: AccountRef) =>
    answerMessage(found, { currency, people: await findWhatsappPeople(options, [found.message]) });

  app.get(
    '',
    {
      schema: {
        operationId: 'listMessages',
        tags: ['Messages'],
        summary: 'Find messages, the newest first',
        description:
          `${EXTENSION} The account's SMS and WhatsApp messages of both versions. A page is read in a bounded time ` +
          'however many messages there are: it may hold fewer than `limit`, even none, while `next_cursor` still leads on.',
        security: SECURITY,
        querystring: pageQuery(MESSAGE_FILTERS),
        response: { 200: pageAnswer(MessageEntry), ...errorsV2(READ_ERRORS) },
      },
    },
    async ({ query, credential: { account } }) => {
      const filter = messageFilter(query, account.id);
      const { messages, next } = await listMessages(options, filter, cursorPage(query));
      const shown = { currency: account.currency, people: await findWhatsappPeople(options, messages) };
      return answerPage(
        messages.map((message) => messageEntry(message, shown)),
        next,
      );
    },
  );

  app.get(
    '/:message_id',
    {
      schema: {
        operationId: 'getMessage',
        tags: ['Messages'],
        summary: 'Ask for all that is known of a message',
        description: `${EXTENSION} Answers for the account's SMS and WhatsApp messages of both versions.`,
        security: SECURITY,
        params: Params,
        response: { 200: MessageAnswer, ...errorsV2([...READ_ERRORS, 404]) },
      },
    },
    async ({ params, credential: { account } }) => await answer(await find(account, params.message_id), account),
  );

  app.post(
    '/:message_id/cancel',
    {
      schema: {
        operationId: 'cancelMessage',
        tags: ['Messages'],
        summary: 'Cancel a message that is not on its way yet',
        description:
          `${EXTENSION} Only while it waits: \`queued\`, as it is until its scheduled_at, or \`sending\` between two tries, ` +
          'unless a carrier may have it already. It becomes `canceled` and is refunded. Otherwise it is 409. It needs no body; what a body says is ignored, ' +
          'but one that is not valid JSON is refused.',
        security: SECURITY,
        params: Params,
        response: { 200: MessageAnswer, ...errorsV2([...READ_ERRORS, 404, 409, 413, 415]) },
      },
    },
    async ({ params, credential: { account } }) => {
      const { message } = await find(account, params.message_id);
      const canceled = await cancelMessage(options, { id: message.id, accountId: account.id });
      const found = await find(account, message.id);
      if (canceled) return await answer(found, account);
      const { status } = found.message;
      throw new AppError('CONFLICT', describeUncancelable(status));
    },
  );
};
