import type { Static } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deleteInbound, redactInbound } from '../../../features/inbound/erase-store.js';
import { cancelMessage } from '../../../messages/cancel/cancel.js';
import { withCallback } from '../../../messages/compose/notes.js';
import type { Acceptance, AcceptedMessage, SendRequest } from '../../../messages/compose/send-request.js';
import { composeV2 } from '../../../messages/compose/v2.js';
import { deleteMessage, redactMessage } from '../../../messages/stored-messages/redact-store.js';
import { idempotencyClaim } from '../../http/idempotency-key.js';
import type { OptionsOf } from '../../http/options-of.js';
import { acceptSend, checkSenders, replayOrThrow, type SendOptions } from '../../resources/sends/accept-send.js';
import { AccountPath, accountOf, type Endpoints, MessagePath, messageIdOf, notFound } from '../endpoint.js';
import { badParameter, errorsTwilio, ofSend, TwilioError } from '../errors.js';
import { type BothOptions, findEither, listBoth } from './both-directions.js';
import { takeToken } from './idempotency-token.js';
import { LIST_FILTERS, ListQuery, pageOf, pageToken } from './message-list.js';
import { CreateBody, MessageList, MessageResource, UpdateBody } from './message-schemas.js';
import { accountPath, anyResource } from './message-view.js';
import { type SendingOptions, translateSend } from './sending.js';

export type MessagesOptions = SendingOptions & SendOptions & BothOptions & OptionsOf<typeof cancelMessage>;

/** How a status is told to a `StatusCallback`. */
const STATUS_CALLBACK = { format: 'twilio', field: 'StatusCallback' } as const;

/** The messages of an account: `/Messages`, with `.json` behind it or without. */
export const messagesEndpoints: Endpoints<MessagesOptions> = async (app, options) => {
  const { sends, clock, turns, directory, phoneValidation, smsMaxChars, smsCarrierName, callbacks, pool } = options;

  /** @throws {AppError} NOT_FOUND */
  const find = async (request: FastifyRequest, id: string | null) => {
    const message = id === null ? null : await findEither(options, accountOf(request).id, id);
    if (!message) throw notFound(request);
    return message;
  };
  const show = async (request: FastifyRequest, id: string) =>
    anyResource(await find(request, id), accountOf(request), clock.now());

  async function compose(
    request: FastifyRequest<{ Body: Static<typeof CreateBody> }>,
    claim: SendRequest['idempotencyKey'],
  ) {
    const account = accountOf(request);
    const { StatusCallback: callback } = request.body;
    try {
      const { body, channel } = await translateSend(options, account.id, request.body);
      const now = clock.now();
      const context = { account, smsCarrier: smsCarrierName(), idempotencyKey: claim };
      const composed = await composeV2(body, { ...context, phoneValidation, smsMaxChars, now, turns, directory });
      checkSenders(account, composed);
      // An SMS by a channel is that channel's, as its replies are.
      const ofChannel = channel?.kind === 'sms' ? { channelId: channel.id, carrier: channel.carrier } : {};
      const send: SendRequest = { ...composed, ...ofChannel };
      if (!callback) return send;
      return withCallback(send, await callbacks.resolve(account.id, callback, STATUS_CALLBACK));
    } catch (error) {
      throw ofSend(error);
    }
  }

  async function composeAndAccept(
    request: FastifyRequest<{ Body: Static<typeof CreateBody> }>,
    claim: SendRequest['idempotencyKey'],
    reply: FastifyReply,
  ): Promise<Acceptance> {
    let send: SendRequest;
    try {
      send = await compose(request, claim);
    } catch (error) {
      return await replayOrThrow(sends, accountOf(request), claim, reply, error);
    }
    return await acceptSend(sends, send, reply);
  }

  const create = async (request: FastifyRequest<{ Body: Static<typeof CreateBody> }>, reply: FastifyReply) => {
    takeToken(request);
    const claim = idempotencyClaim(request, 'POST /2010-04-01/Messages');
    const { messages } = await composeAndAccept(request, claim, reply);
    reply.code(201);
    return await show(request, (messages[0] as AcceptedMessage).id);
  };

  const list = async (request: FastifyRequest<{ Querystring: Static<typeof ListQuery> }>) => {
    const account = accountOf(request);
    const { id: accountId } = account;
    const { query } = request;
    const { messages, size, next } = await pageOf(
      (filters, page) => listBoth(options, filters, page),
      accountId,
      query,
    );
    const page = query.Page ?? 0;
    const uriOf = (more: Record<string, string>) => {
      const names = new URLSearchParams();
      for (const name of LIST_FILTERS) if (query[name]) names.set(name, query[name]);
      names.set('PageSize', String(size));
      for (const [name, value] of Object.entries(more)) names.set(name, value);
      return `${accountPath(accountId)}/Messages.json?${names}`;
    };
    const start = page * size;
    const now = clock.now();
    return {
      messages: messages.map((message) => anyResource(message, account, now)),
      page,
      page_size: size,
      start,
      end: start + Math.max(0, messages.length - 1),
      uri: uriOf({ Page: String(page), ...(query.PageToken && { PageToken: query.PageToken }) }),
      first_page_uri: uriOf({ Page: '0' }),
      next_page_uri: next === null ? null : uriOf({ Page: String(page + 1), PageToken: pageToken(next) }),
      previous_page_uri: null,
    };
  };

  const createSchema = {
    operationId: 'twilioCreateMessage',
    summary: "Send a message, as Twilio's Messages resource",
    description:
      'SMS, and WhatsApp where `To` begins with `whatsapp:`. It goes the way of `POST /v2/send`: the same rules, prices and ' +
      'repetitions. `I-Twilio-Idempotency-Token` is taken as `Idempotency-Key` is.',
    params: AccountPath,
    body: CreateBody,
    response: { 201: MessageResource, ...errorsTwilio([402, 409, 422]) },
  };
  const listSchema = {
    operationId: 'twilioListMessages',
    summary: "Find messages, the newest first, as Twilio's Messages resource",
    description:
      "The messages that the account's apps sent, and those that contacts wrote. A page is read in a bounded time: it may hold fewer than `PageSize`, even none, while `next_page_uri` leads on.",
    params: AccountPath,
    querystring: ListQuery,
    response: { 200: MessageList },
  };
  app.post('/Messages.json', { config: { idempotent: true }, schema: createSchema }, create);
  app.get('/Messages.json', { schema: listSchema }, list);
  // The same without the ending; the document shows one of them.
  app.post('/Messages', { config: { idempotent: true }, schema: { ...createSchema, hide: true } }, create);
  app.get('/Messages', { schema: { ...listSchema, hide: true } }, list);

  app.get(
    '/Messages/:Sid',
    {
      schema: {
        operationId: 'twilioFetchMessage',
        summary: "Ask for a message, as Twilio's Messages resource",
        params: MessagePath,
        response: { 200: MessageResource },
      },
    },
    async (request) => anyResource(await find(request, messageIdOf(request.params)), accountOf(request), clock.now()),
  );

  app.post(
    '/Messages/:Sid',
    {
      schema: {
        operationId: 'twilioUpdateMessage',
        summary: "Empty the text of a message, or cancel it, as Twilio's Messages resource",
        description:
          '`Body=` empties the text of one that is not on its way any more; `Status=canceled` cancels one that waits, and ' +
          'refunds it. Otherwise it is 409.',
        params: MessagePath,
        body: UpdateBody,
        response: { 200: MessageResource, ...errorsTwilio([409]) },
      },
    },
    async (request) => {
      const { Body: text, Status: status } = request.body;
      const { id, received } = await find(request, messageIdOf(request.params));
      const which = { id, accountId: accountOf(request).id };
      if ((text === undefined) === (status === undefined))
        throw badParameter(30400, 'Body', 'or Status is required, and not both');
      if (text !== undefined && text !== '') throw badParameter(30400, 'Body', 'must be empty: that empties the text');
      if (status !== undefined && status !== 'canceled') throw badParameter(30400, 'Status', 'must be canceled');
      if (text !== undefined && received) await redactInbound(pool, which, clock.now());
      else if (text !== undefined && !(await redactMessage(pool, which))) throw underWay('redacted');
      if (status !== undefined && (received || !(await cancelMessage(options, which)))) {
        const message = 'The message cannot be canceled: only one that waits to be sent can be.';
        throw new TwilioError(30409, { code: 'CONFLICT', message });
      }
      return await show(request, id);
    },
  );

  app.delete(
    '/Messages/:Sid',
    {
      schema: {
        operationId: 'twilioDeleteMessage',
        summary: "Delete a message, as Twilio's Messages resource",
        description:
          'One that nothing more can happen to. What was charged for it stays in the ledger. One that a contact wrote goes with its file.',
        params: MessagePath,
        response: { 204: { type: 'null', description: 'It was deleted.' }, ...errorsTwilio([409]) },
      },
    },
    async (request, reply) => {
      const { id, received } = await find(request, messageIdOf(request.params));
      const which = { id, accountId: accountOf(request).id };
      if (received) await deleteInbound(pool, which, clock.now());
      else if (!(await deleteMessage(pool, which))) throw underWay('deleted');
      return reply.code(204).send();
    },
  );
};

function underWay(what: string): TwilioError {
  const message = `The message cannot be ${what} before it is complete: wait for its last status.`;
  return new TwilioError(20009, { code: 'CONFLICT', message });
}
