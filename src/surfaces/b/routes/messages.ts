import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { composeReply, composeTemplateSend } from '../../../features/conversations/compose.js';
import { type AnsweredSend, sendAndWait } from '../../../features/conversations/send-and-wait.js';
import type { IdempotencyKey, SendRequest } from '../../../messages/compose/send-request.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import { MESSAGE_STATUSES } from '../../../messages/status/status.js';
import { PHONE_RULE } from '../../../platform/text/phone-numbers.js';
import type { Deps } from '../../../process/deps.js';
import { LanguageCode, TemplateComponents, TemplateName } from '../../http/openapi/template-schemas.js';
import { RULE } from '../../http/validation.js';
import { channelClaim } from '../idempotent.js';
import {
  answer,
  errorsB,
  Id,
  IdUnlessDeleted,
  NullableTimestamp,
  notFound,
  ok,
  PathId,
  pathId,
  type SurfaceBRoutes,
  Timestamp,
} from '../shared.js';

const To = Type.String({
  description: 'A phone number with country code, digits only.',
  examples: ['15005550111'],
  [RULE]: PHONE_RULE,
});

const TemplateBody = Type.Object(
  {
    to: To,
    templateName: TemplateName,
    language: LanguageCode,
    components: Type.Optional(TemplateComponents),
  },
  {
    examples: [
      {
        to: '15005550111',
        templateName: 'order_update',
        language: 'en_US',
        components: [{ type: 'body', parameters: [{ type: 'text', text: 'A-1001' }] }],
      },
    ],
  },
);

const ReplyBody = Type.Object(
  {
    to: To,
    message: Type.String({
      description: 'Free text.',
      minLength: 1,
      maxLength: WHATSAPP_TEXT_LIMIT,
      examples: ['Hello'],
      [RULE]: `must be a text of 1 to ${WHATSAPP_TEXT_LIMIT} characters`,
    }),
  },
  { examples: [{ to: '15005550111', message: 'Hello' }] },
);

const WhatsappMessageId = Type.Union([Type.String({ examples: ['wamid.AZLwwX06fC6bGi9tHApOVQ=='] }), Type.Null()], {
  description: "The carrier's id; null until the carrier has answered.",
});

const SendStatus = Type.Unsafe<AnsweredSend['status']>({
  type: 'string',
  enum: ['sent', 'queued'],
  description: '`queued` when the carrier did not answer in time; the message goes on.',
});

const ReplyData = Type.Object({ messageId: Id, whatsappMessageId: WhatsappMessageId, status: SendStatus });

const TemplateSendData = Type.Object({
  ...ReplyData.properties,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
});

const NullableText = Type.Union([Type.String(), Type.Null()]);

const StatusData = Type.Object({
  id: Id,
  whatsappMessageId: WhatsappMessageId,
  status: Type.Unsafe<(typeof MESSAGE_STATUSES)[number]>({
    type: 'string',
    enum: [...MESSAGE_STATUSES],
    examples: ['delivered'],
  }),
  deliveredAt: NullableTimestamp,
  readAt: NullableTimestamp,
  errorCode: NullableText,
  errorMessage: NullableText,
  createdAt: Timestamp,
});

const WAITS = "Answers once the carrier has, with the carrier's id. A final refusal by the carrier is 400, refunded.";

/** Share of the shutdown time for which requests may go on waiting for a carrier. */
const WAIT_SHARE = 0.3;

export const messageRoutes: SurfaceBRoutes = async (app, { deps }) => {
  // Closing waits for requests under way; one whose message no worker takes would take its whole time.
  app.addHook('preClose', async () => {
    setTimeout(() => deps.results.close(), deps.config.shutdownTimeoutMs * WAIT_SHARE).unref();
  });

  app.post(
    '/messages/template',
    {
      config: { scope: 'messages:send', idempotent: true },
      schema: {
        operationId: 'sendTemplate',
        tags: ['Channel messages'],
        summary: 'Send a template message',
        description: `The template must be APPROVED and be given all of its parameters and no other. ${WAITS} Contact and conversation are made when they are new.`,
        body: TemplateBody,
        response: { 200: answer(TemplateSendData), ...errorsB([402, 404, 422]) },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const sent = await send(deps, request, reply, (idempotency) =>
        composeTemplateSend(deps, caller, body, { idempotency }),
      );
      const { contactId, conversationId } = sent;
      return ok({ ...replyData(sent), contactId, conversationId });
    },
  );

  app.post(
    '/messages/reply',
    {
      config: { scope: 'messages:send', idempotent: true },
      schema: {
        operationId: 'sendReply',
        tags: ['Channel messages'],
        summary: 'Reply with free text',
        description: `Refused with 403 \`WINDOW_EXPIRED\` unless the contact sent a message within the last 24 hours. ${WAITS}`,
        body: ReplyBody,
        response: { 200: answer(ReplyData), ...errorsB([402, 422]) },
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      const sent = await send(deps, request, reply, (idempotency) => composeReply(deps, caller, body, { idempotency }));
      return ok(replyData(sent));
    },
  );

  app.get(
    '/messages/status/:messageId',
    {
      config: { scope: 'messages:read' },
      schema: {
        operationId: 'getMessageStatus',
        tags: ['Channel messages'],
        summary: 'Ask for the delivery status of a message of the channel',
        params: Type.Object({ messageId: PathId }),
        response: { 200: answer(StatusData) },
      },
    },
    async ({ params, caller: { account, channel } }) => {
      const id = pathId(params.messageId, 'message');
      const message = await deps.prisma.message.findFirst({
        where: { id, accountId: account.id, channelId: channel.id },
      });
      if (!message) throw notFound('message');
      return ok({
        id,
        whatsappMessageId: message.carrierMessageId,
        status: message.status,
        deliveredAt: message.deliveredAt?.toISOString() ?? null,
        readAt: message.readAt?.toISOString() ?? null,
        errorCode: message.errorCode,
        errorMessage: message.errorMessage,
        createdAt: message.createdAt.toISOString(),
      });
    },
  );
};

function send(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  compose: (claim: IdempotencyKey | null) => Promise<SendRequest>,
): Promise<AnsweredSend> {
  const claim = channelClaim(request);
  return sendAndWait(deps, {
    account: request.caller.account,
    claim,
    compose: () => compose(claim),
    onReplay: () => void reply.header('idempotent-replayed', 'true'),
  });
}

function replyData({ messageId, carrierMessageId, status }: AnsweredSend) {
  return { messageId, whatsappMessageId: carrierMessageId, status };
}
