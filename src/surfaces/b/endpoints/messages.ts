import { Type } from '@sinclair/typebox';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { sendReadReceipt } from '../../../features/conversations/read-receipt.js';
import { composeReply, composeTemplateSend } from '../../../features/conversations/sending/compose.js';
import { composeRichReply } from '../../../features/conversations/sending/compose-rich.js';
import type { AnsweredSend, sendAndWait } from '../../../features/conversations/sending/send-and-wait.js';
import { readPurpose } from '../../../messages/compose/purpose.js';
import { MESSAGE_STATUSES } from '../../../messages/message-status.js';
import { findChannelMessage, findHeldUntil, listHolds } from '../../../messages/status/find-message.js';
import { IdUnlessDeleted, PathId, pathId, requireFound } from '../../http/ids.js';
import { PurposeView } from '../../http/schemas/purpose.js';
import { Id, iso, NullableText, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { channelScope } from '../../resources/callers/channel-caller.js';
import { toOwnedChannel } from '../../resources/callers/owned-channel.js';
import { readTarget } from '../../resources/people/people.js';
import {
  ReadBody,
  ReplyBody,
  RichSendBody,
  SendStatus,
  TemplateSendBody,
} from '../../resources/sends/channel-sends.js';
import { sendForRequest } from '../../resources/sends/waited-send.js';
import { ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';

const WhatsappMessageId = Type.Union([Type.String({ examples: ['wamid.AZLwwX06fC6bGi9tHApOVQ=='] }), Type.Null()], {
  description: "The carrier's message ID, also for SMS; null until the carrier has responded.",
});

const ReplyData = Type.Object({ messageId: Id, whatsappMessageId: WhatsappMessageId, status: SendStatus });

const TemplateSendData = Type.Object({
  ...ReplyData.properties,
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
});

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
  purpose: PurposeView,
  heldUntil: Type.Union([Timestamp, Type.Null()], {
    description: 'Until when quiet hours hold the message; null if they do not.',
  }),
});

const ReadData = Type.Object({ messageId: Type.String({ description: 'As in the request.' }) });

const WAITS_FOR_CARRIER =
  "Responds once the carrier has responded, with the carrier's message ID. If the carrier permanently refuses the message, the response is 400 and the message is refunded.";

/** Share of the shutdown time for which requests may still wait for a carrier. */
const SHUTDOWN_WAIT_SHARE = 0.3;

export type MessageOptions = UseCaseOptions<
  | typeof composeTemplateSend
  | typeof composeReply
  | typeof composeRichReply
  | typeof sendAndWait
  | typeof sendReadReceipt
  | typeof findChannelMessage
  | typeof listHolds
> & {
  results: { close(): void };
  shutdownTimeoutMs: number;
};

const sendEndpoint = endpoint('Channel messages', 'messages:send');
const readEndpoint = endpoint('Channel messages', 'messages:read');

export const messageEndpoints: Endpoints<MessageOptions> = async (app, options) => {
  // Fastify waits for requests in progress, and a request that waits for an unsent message could use up the whole shutdown
  // time.
  app.addHook('preClose', async () => {
    setTimeout(() => options.results.close(), options.shutdownTimeoutMs * SHUTDOWN_WAIT_SHARE).unref();
  });

  app.post(
    '/messages/template',
    sendEndpoint({
      operationId: 'sendTemplate',
      idempotent: true,
      summary: 'Send a template message',
      description: `The template must be APPROVED, and the request must contain exactly its parameters. ${WAITS_FOR_CARRIER} The contact and the conversation are created if they do not exist.`,
      body: TemplateSendBody,
      data: TemplateSendData,
      errors: [402, 404, 409, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      const result = await sendForRequest(options, request, reply, async (context) => {
        const { templateName, language, components, purpose } = body;
        return composeTemplateSend(
          options,
          caller,
          { ...readTarget(body), templateName, language, components, purpose },
          context,
        );
      });
      const { contactId, conversationId } = result;
      return ok({ ...toReplyData(result), contactId, conversationId });
    },
  );

  app.post(
    '/messages/reply',
    sendEndpoint({
      operationId: 'sendReply',
      idempotent: true,
      summary: 'Reply with free text',
      description: `On a channel of kind \`sms\`, sends an SMS that is charged per part; on any other channel, a WhatsApp message. Refused with 403 \`WINDOW_EXPIRED\` unless the contact sent a message within the last 24 hours. ${WAITS_FOR_CARRIER}`,
      body: ReplyBody,
      data: ReplyData,
      errors: [402, 404, 409, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      const compose = async (context: { idempotency: IdempotencyKey | null }) =>
        composeReply(options, caller, { ...readTarget(body), message: body.message, purpose: body.purpose }, context);
      return ok(toReplyData(await sendForRequest(options, request, reply, compose)));
    },
  );

  app.post(
    '/messages/send',
    sendEndpoint({
      operationId: 'sendRich',
      idempotent: true,
      summary: "Send a WhatsApp message in Meta's shape",
      description: `Text, files, locations, contact cards, reactions and interactive messages, optionally quoting another message (\`context\`). Templates have their own operation. Meta's limits are checked before anything is charged. Refused with 403 \`WINDOW_EXPIRED\` unless the contact sent a message within the last 24 hours. ${WAITS_FOR_CARRIER}`,
      body: RichSendBody,
      data: ReplyData,
      errors: [402, 409, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      return ok(
        toReplyData(
          await sendForRequest(options, request, reply, (context) =>
            composeRichReply(
              options,
              caller,
              { target: readTarget(body), input: body, purpose: body.purpose },
              context,
            ),
          ),
        ),
      );
    },
  );

  app.post(
    '/messages/read',
    sendEndpoint({
      operationId: 'markRead',
      summary: 'Send a read receipt to a contact',
      description:
        'The contact’s phone shows the message as read; with `typing`, it also shows for a few seconds that you are typing. Free of charge.',
      body: ReadBody,
      data: ReadData,
      errors: [503],
    }),
    async ({ caller, body }) => {
      await sendReadReceipt(options, toOwnedChannel(caller), body);
      return ok({ messageId: body.messageId });
    },
  );

  app.get(
    '/messages/status/:messageId',
    readEndpoint({
      operationId: 'getMessageStatus',
      summary: 'Get the delivery status of a message of the channel',
      params: Type.Object({ messageId: PathId }),
      data: StatusData,
    }),
    async ({ params, caller }) => {
      const id = pathId(params.messageId, 'message');
      const message = requireFound(await findChannelMessage(options, channelScope(caller), id), 'message');
      const { carrierMessageId: whatsappMessageId, status, errorCode, errorMessage } = message;
      return ok({
        id,
        whatsappMessageId,
        status,
        deliveredAt: iso(message.deliveredAt),
        readAt: iso(message.readAt),
        errorCode,
        errorMessage,
        createdAt: message.createdAt.toISOString(),
        purpose: readPurpose(message),
        heldUntil: findHeldUntil(message, await listHolds(options, message.id))?.toISOString() ?? null,
      });
    },
  );
};

function toReplyData({ messageId, carrierMessageId, status }: AnsweredSend) {
  return { messageId, whatsappMessageId: carrierMessageId, status };
}
