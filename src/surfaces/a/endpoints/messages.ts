import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { AccountRef } from '../../../accounts/account-ref.js';
import { findWhatsappPeople } from '../../../features/contacts/people.js';
import { cancelMessage } from '../../../messages/cancel/cancel.js';
import { listMessages } from '../../../messages/search/list-messages.js';
import { type FoundMessage, findMessage } from '../../../messages/status/find-message.js';
import { describeUncancelable } from '../../../messages/status/status-words.js';
import { AppError, notFound } from '../../../platform/errors/app-error.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { answerPage, cursorPage, pageAnswer, pageQuery } from '../cursor-page.js';
import { EXTENSION, NO_BODY } from './extension.js';
import { MESSAGE_FILTERS, readMessageFilter } from './message-filters.js';
import { answerMessage, MessageAnswer, MessageEntry, messageEntry } from './message-view.js';
import { errorsV2, READ_ERRORS } from './v1-schemas.js';

const SECURITY = [{ bearer: [] }];

const Params = Type.Object({ message_id: Type.String({ description: 'From the response to the send request.' }) });

export type MessageEndpointsOptions = UseCaseOptions<
  typeof findMessage | typeof cancelMessage | typeof listMessages | typeof findWhatsappPeople
>;

export const endpointsMessages: FastifyPluginAsyncTypebox<MessageEndpointsOptions> = async (app, options) => {
  const requireMessage = async (account: AccountRef, id: string): Promise<FoundMessage> => {
    const details = await findMessage(options, account.id, id);
    if (!details) throw notFound('message', 'message_id');
    return details;
  };

  const toAnswer = async (details: FoundMessage, { currency }: AccountRef) =>
    answerMessage(details, { currency, people: await findWhatsappPeople(options, [details.message]) });

  app.get(
    '',
    {
      schema: {
        operationId: 'listMessages',
        tags: ['Messages'],
        summary: 'Find messages, newest first',
        description:
          `${EXTENSION} The account's SMS and WhatsApp messages of both versions. Each request does a limited amount of ` +
          'work: a page may have fewer than `limit` entries, even none, while `next_cursor` is not null.',
        security: SECURITY,
        querystring: pageQuery(MESSAGE_FILTERS),
        response: { 200: pageAnswer(MessageEntry), ...errorsV2(READ_ERRORS) },
      },
    },
    async ({ query, credential: { account } }) => {
      const filter = readMessageFilter(query, account.id);
      const { messages, next } = await listMessages(options, filter, cursorPage(query));
      const context = { currency: account.currency, people: await findWhatsappPeople(options, messages) };
      return answerPage(
        messages.map((message) => messageEntry(message, context)),
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
        summary: 'Get a message with its history',
        description: `${EXTENSION} SMS and WhatsApp messages of both versions.`,
        security: SECURITY,
        params: Params,
        response: { 200: MessageAnswer, ...errorsV2([...READ_ERRORS, 404]) },
      },
    },
    async ({ params, credential: { account } }) =>
      await toAnswer(await requireMessage(account, params.message_id), account),
  );

  app.post(
    '/:message_id/cancel',
    {
      schema: {
        operationId: 'cancelMessage',
        tags: ['Messages'],
        summary: 'Cancel a message that has not been sent yet',
        description:
          `${EXTENSION} Possible while the message is \`queued\`, including the time before its scheduled_at, or \`sending\` between two ` +
          'attempts, unless a carrier may already have it. It becomes `canceled` and is refunded. Otherwise the response is 409. ' +
          NO_BODY,
        security: SECURITY,
        params: Params,
        response: { 200: MessageAnswer, ...errorsV2([...READ_ERRORS, 404, 409, 413, 415]) },
      },
    },
    async ({ params, credential: { account } }) => {
      const { message } = await requireMessage(account, params.message_id);
      const canceled = await cancelMessage(options, { id: message.id, accountId: account.id });
      const details = await requireMessage(account, message.id);
      if (canceled) return await toAnswer(details, account);
      const { status } = details.message;
      throw new AppError('CONFLICT', describeUncancelable(status));
    },
  );
};
