import type { Static } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { deleteInbound, redactInbound } from '../../../features/inbound/erase-store.js';
import { cancelMessage } from '../../../messages/cancel/cancel.js';
import { withCallback } from '../../../messages/compose/notes.js';
import type { Acceptance, AcceptedMessage, SendRequest } from '../../../messages/compose/send-request.js';
import { composeV2 } from '../../../messages/compose/v2.js';
import { deleteMessage, redactMessage } from '../../../messages/stored-messages/redact-store.js';
import { idempotencyClaim } from '../../http/idempotency-key.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { acceptSend, checkSenders, replayOrThrow, type SendOptions } from '../../resources/sends/accept-send.js';
import { AccountPath, type Endpoints, MessagePath, notFound, readMessageId, requestAccount } from '../endpoint.js';
import { badParameter, errorsTwilio, TwilioError, toSendError } from '../errors.js';
import { type BothDirectionsOptions, findMessageOrInbound, listBothDirections } from './both-directions.js';
import { applyTwilioToken } from './idempotency-token.js';
import { LIST_FILTERS, ListQuery, readPage, toPageToken } from './message-list.js';
import { CreateBody, MessageList, MessageResource, UpdateBody } from './message-schemas.js';
import { buildAccountPath, toResource } from './message-view.js';
import { type SendingOptions, translateSend } from './sending.js';

export type MessagesOptions = SendingOptions &
  SendOptions &
  BothDirectionsOptions &
  UseCaseOptions<typeof cancelMessage>;

const STATUS_CALLBACK = { format: 'twilio', field: 'StatusCallback' } as const;

export const messagesEndpoints: Endpoints<MessagesOptions> = async (app, options) => {
  const { sends, clock, turns, directory, phoneValidation, smsMaxChars, smsCarrierName, callbacks, pool } = options;

  /** @throws {AppError} NOT_FOUND */
  const requireMessage = async (request: FastifyRequest, id: string | null) => {
    const message = id === null ? null : await findMessageOrInbound(options, requestAccount(request).id, id);
    if (!message) throw notFound(request);
    return message;
  };
  const showMessage = async (request: FastifyRequest, id: string) =>
    toResource(await requireMessage(request, id), requestAccount(request), clock.now());

  async function compose(
    request: FastifyRequest<{ Body: Static<typeof CreateBody> }>,
    claim: SendRequest['idempotencyKey'],
  ) {
    const account = requestAccount(request);
    const { StatusCallback: callback } = request.body;
    try {
      const { body, channel } = await translateSend(options, account.id, request.body);
      const now = clock.now();
      const context = { account, smsCarrier: smsCarrierName(), idempotencyKey: claim };
      const composed = await composeV2(body, { ...context, phoneValidation, smsMaxChars, now, turns, directory });
      checkSenders(account, composed);
      // An SMS that is sent through a channel belongs to that channel, as do the recipient's replies.
      const channelFields = channel?.kind === 'sms' ? { channelId: channel.id, carrier: channel.carrier } : {};
      const send: SendRequest = { ...composed, ...channelFields };
      if (!callback) return send;
      return withCallback(send, await callbacks.resolve(account.id, callback, STATUS_CALLBACK));
    } catch (error) {
      throw toSendError(error);
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
      return await replayOrThrow(sends, requestAccount(request), claim, reply, error);
    }
    return await acceptSend(sends, send, reply);
  }

  const create = async (request: FastifyRequest<{ Body: Static<typeof CreateBody> }>, reply: FastifyReply) => {
    applyTwilioToken(request);
    const claim = idempotencyClaim(request, 'POST /2010-04-01/Messages');
    const { messages } = await composeAndAccept(request, claim, reply);
    reply.code(201);
    return await showMessage(request, (messages[0] as AcceptedMessage).id);
  };

  const list = async (request: FastifyRequest<{ Querystring: Static<typeof ListQuery> }>) => {
    const account = requestAccount(request);
    const { id: accountId } = account;
    const { query } = request;
    const { messages, size, next } = await readPage(
      (filters, page) => listBothDirections(options, filters, page),
      accountId,
      query,
    );
    const page = query.Page ?? 0;
    const buildPageUri = (more: Record<string, string>) => {
      const names = new URLSearchParams();
      for (const name of LIST_FILTERS) if (query[name]) names.set(name, query[name]);
      names.set('PageSize', String(size));
      for (const [name, value] of Object.entries(more)) names.set(name, value);
      return `${buildAccountPath(accountId)}/Messages.json?${names}`;
    };
    const start = page * size;
    const now = clock.now();
    return {
      messages: messages.map((message) => toResource(message, account, now)),
      page,
      page_size: size,
      start,
      end: start + Math.max(0, messages.length - 1),
      uri: buildPageUri({ Page: String(page), ...(query.PageToken && { PageToken: query.PageToken }) }),
      first_page_uri: buildPageUri({ Page: '0' }),
      next_page_uri: next === null ? null : buildPageUri({ Page: String(page + 1), PageToken: toPageToken(next) }),
      previous_page_uri: null,
    };
  };

  const createSchema = {
    operationId: 'twilioCreateMessage',
    summary: "Send a message, as Twilio's Messages resource",
    description:
      'Sends an SMS, or a WhatsApp message if `To` starts with `whatsapp:`. Rules, prices and idempotency are the same as for `POST /v2/send`. ' +
      '`I-Twilio-Idempotency-Token` works like `Idempotency-Key`.',
    params: AccountPath,
    body: CreateBody,
    response: { 201: MessageResource, ...errorsTwilio([402, 409, 422]) },
  };
  const listSchema = {
    operationId: 'twilioListMessages',
    summary: "Find messages, newest first, as Twilio's Messages resource",
    description:
      "The account's outbound and inbound messages. Each request does a limited amount of work: a page may have fewer than `PageSize` entries, even none, while `next_page_uri` is not null.",
    params: AccountPath,
    querystring: ListQuery,
    response: { 200: MessageList },
  };
  app.post('/Messages.json', { config: { idempotent: true }, schema: createSchema }, create);
  app.get('/Messages.json', { schema: listSchema }, list);
  // The endpoints are also available without `.json`, but only the paths with `.json` are documented.
  app.post('/Messages', { config: { idempotent: true }, schema: { ...createSchema, hide: true } }, create);
  app.get('/Messages', { schema: { ...listSchema, hide: true } }, list);

  app.get(
    '/Messages/:Sid',
    {
      schema: {
        operationId: 'twilioFetchMessage',
        summary: "Get a message, as Twilio's Messages resource",
        params: MessagePath,
        response: { 200: MessageResource },
      },
    },
    async (request) =>
      toResource(await requireMessage(request, readMessageId(request.params)), requestAccount(request), clock.now()),
  );

  app.post(
    '/Messages/:Sid',
    {
      schema: {
        operationId: 'twilioUpdateMessage',
        summary: "Remove the text of a message, or cancel it, as Twilio's Messages resource",
        description:
          '`Body=` removes the text of a message that has reached its final status; `Status=canceled` cancels a queued message and ' +
          'refunds it. Otherwise the response is 409.',
        params: MessagePath,
        body: UpdateBody,
        response: { 200: MessageResource, ...errorsTwilio([409]) },
      },
    },
    async (request) => {
      const { Body: text, Status: status } = request.body;
      const { id, received } = await requireMessage(request, readMessageId(request.params));
      const key = { id, accountId: requestAccount(request).id };
      if ((text === undefined) === (status === undefined))
        throw badParameter(30400, 'Body', 'or Status is required, and not both');
      if (text !== undefined && text !== '') throw badParameter(30400, 'Body', 'must be empty, which removes the text');
      if (status !== undefined && status !== 'canceled') throw badParameter(30400, 'Status', 'must be canceled');
      if (text !== undefined && received) await redactInbound(pool, key, clock.now());
      else if (text !== undefined && !(await redactMessage(pool, key))) throw notCompleteError('redacted');
      if (status !== undefined && (received || !(await cancelMessage(options, key)))) {
        const message = 'The message cannot be canceled: only a queued message can be.';
        throw new TwilioError(30409, { code: 'CONFLICT', message });
      }
      return await showMessage(request, id);
    },
  );

  app.delete(
    '/Messages/:Sid',
    {
      schema: {
        operationId: 'twilioDeleteMessage',
        summary: "Delete a message, as Twilio's Messages resource",
        description:
          'Possible only once a message has reached its final status. The charge stays in the ledger. The file of an inbound message is also deleted.',
        params: MessagePath,
        response: { 204: { type: 'null', description: 'The message was deleted.' }, ...errorsTwilio([409]) },
      },
    },
    async (request, reply) => {
      const { id, received } = await requireMessage(request, readMessageId(request.params));
      const key = { id, accountId: requestAccount(request).id };
      if (received) await deleteInbound(pool, key, clock.now());
      else if (!(await deleteMessage(pool, key))) throw notCompleteError('deleted');
      return reply.code(204).send();
    },
  );
};

function notCompleteError(action: 'redacted' | 'deleted'): TwilioError {
  const message = `The message cannot be ${action} before it is complete: wait for its final status.`;
  return new TwilioError(20009, { code: 'CONFLICT', message });
}
