import { Type } from '@sinclair/typebox';
import type { IdempotencyKey } from '../../../accounts/idempotency/idempotency.js';
import { sendReadReceipt } from '../../../features/conversations/read-receipt.js';
import { composeReply, composeTemplateSend } from '../../../features/conversations/sending/compose.js';
import { composeRichReply } from '../../../features/conversations/sending/compose-rich.js';
import type { AnsweredSend, sendAndWait } from '../../../features/conversations/sending/send-and-wait.js';
import { MESSAGE_STATUSES } from '../../../messages/message-status.js';
import { findChannelMessage } from '../../../messages/status/find-message.js';
import { found, IdUnlessDeleted, PathId, pathId } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, iso, NullableText, NullableTimestamp, Timestamp } from '../../http/schemas/values.js';
import { scopeOf } from '../../resources/callers/channel-caller.js';
import { ownedChannel } from '../../resources/callers/owned-channel.js';
import { targetOf } from '../../resources/people/people.js';
import {
  ReadBody,
  ReplyBody,
  RichSendBody,
  SendStatus,
  TemplateSendBody,
} from '../../resources/sends/channel-sends.js';
import { waitedSend } from '../../resources/sends/waited-send.js';
import { ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';

const WhatsappMessageId = Type.Union([Type.String({ examples: ['wamid.AZLwwX06fC6bGi9tHApOVQ=='] }), Type.Null()], {
  description: "The carrier's id, of an SMS too; null until the carrier has answered.",
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
});

const ReadData = Type.Object({ messageId: Type.String({ description: 'As it was given.' }) });

const WAITS = "Answers once the carrier has, with the carrier's id. A final refusal by the carrier is 400, refunded.";

/** Share of the shutdown time for which requests may go on waiting for a carrier. */
const WAIT_SHARE = 0.3;

export type MessageOptions = OptionsOf<
  | typeof composeTemplateSend
  | typeof composeReply
  | typeof composeRichReply
  | typeof sendAndWait
  | typeof sendReadReceipt
  | typeof findChannelMessage
> & {
  /** Ends all waiting for results. */
  results: { close(): void };
  /** How long the whole shutdown may take, in milliseconds. */
  shutdownTimeoutMs: number;
};

const send = endpoint('Channel messages', 'messages:send');
const read = endpoint('Channel messages', 'messages:read');

export const messageEndpoints: Endpoints<MessageOptions> = async (app, options) => {
  // Closing waits for requests under way; one whose message no worker takes would take its whole time.
  app.addHook('preClose', async () => {
    setTimeout(() => options.results.close(), options.shutdownTimeoutMs * WAIT_SHARE).unref();
  });

  app.post(
    '/messages/template',
    send({
      operationId: 'sendTemplate',
      idempotent: true,
      summary: 'Send a template message',
      description: `The template must be APPROVED and be given all of its parameters and no other. ${WAITS} Contact and conversation are made when they are new.`,
      body: TemplateSendBody,
      data: TemplateSendData,
      errors: [402, 404, 409, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      const sent = await waitedSend(options, request, reply, async (how) => {
        const { templateName, language, components } = body;
        return composeTemplateSend(options, caller, { ...targetOf(body), templateName, language, components }, how);
      });
      const { contactId, conversationId } = sent;
      return ok({ ...replyData(sent), contactId, conversationId });
    },
  );

  app.post(
    '/messages/reply',
    send({
      operationId: 'sendReply',
      idempotent: true,
      summary: 'Reply with free text',
      description: `An SMS from a channel of kind \`sms\`, which is charged by part and may be as long as any SMS; a WhatsApp message from any other. Refused with 403 \`WINDOW_EXPIRED\` unless the contact sent a message within the last 24 hours. ${WAITS}`,
      body: ReplyBody,
      data: ReplyData,
      errors: [402, 404, 409, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      const compose = async (how: { idempotency: IdempotencyKey | null }) =>
        composeReply(options, caller, { ...targetOf(body), message: body.message }, how);
      return ok(replyData(await waitedSend(options, request, reply, compose)));
    },
  );

  app.post(
    '/messages/send',
    send({
      operationId: 'sendRich',
      idempotent: true,
      summary: "Send a WhatsApp message in Meta's shape",
      description: `Text, files, locations, contact cards, reactions and interactive messages, which may quote another one (\`context\`); templates have an operation of their own. Meta's limits are checked before anything is charged. Refused with 403 \`WINDOW_EXPIRED\` unless the contact sent a message within the last 24 hours. ${WAITS}`,
      body: RichSendBody,
      data: ReplyData,
      errors: [402, 409, 422],
    }),
    async (request, reply) => {
      const { caller, body } = request;
      return ok(
        replyData(
          await waitedSend(options, request, reply, (how) =>
            composeRichReply(options, caller, { target: targetOf(body), input: body }, how),
          ),
        ),
      );
    },
  );

  app.post(
    '/messages/read',
    send({
      operationId: 'markRead',
      summary: 'Show a contact that their message was read',
      description:
        'The contact sees it on their phone, and with `typing` that an answer is being written, for some seconds. Nothing is charged.',
      body: ReadBody,
      data: ReadData,
      errors: [503],
    }),
    async ({ caller, body }) => {
      await sendReadReceipt(options, ownedChannel(caller), body);
      return ok({ messageId: body.messageId });
    },
  );

  app.get(
    '/messages/status/:messageId',
    read({
      operationId: 'getMessageStatus',
      summary: 'Ask for the delivery status of a message of the channel',
      params: Type.Object({ messageId: PathId }),
      data: StatusData,
    }),
    async ({ params, caller }) => {
      const id = pathId(params.messageId, 'message');
      const message = found(await findChannelMessage(options, scopeOf(caller), id), 'message');
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
      });
    },
  );
};

function replyData({ messageId, carrierMessageId, status }: AnsweredSend) {
  return { messageId, whatsappMessageId: carrierMessageId, status };
}
