import type { Static } from '@sinclair/typebox';
import { isUserId, USER_ID_RULE } from '../../../carriers/numbers/user-ids.js';
import { DIGITS_ONLY, INTERNATIONAL, readWrittenNumber } from '../../../carriers/numbers/written-numbers.js';
import { parseSentMessageId, toSentMessageId } from '../../../features/channels/graph-ids.js';
import { sendReadReceipt } from '../../../features/conversations/read-receipt.js';
import { composeTemplateSend } from '../../../features/conversations/sending/compose.js';
import { composeRichReply } from '../../../features/conversations/sending/compose-rich.js';
import type { sendAndWait } from '../../../features/conversations/sending/send-and-wait.js';
import { readNotes } from '../../../messages/compose/notes.js';
import { RICH_TYPES, type RichInput, type RichType } from '../../../messages/compose/rich.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { toOwnedChannel } from '../../resources/callers/owned-channel.js';
import { sendForRequest } from '../../resources/sends/waited-send.js';
import { type Endpoints, graphEndpoint, NumberPath } from '../endpoint.js';
import { toMessageError } from '../errors.js';
import { toTemplateError } from '../template-errors.js';
import { readTexts } from '../texts.js';
import { CALLBACK_DATA_KEY, MessageBody, MessageData } from './message-schemas.js';

type Body = Static<typeof MessageBody>;

export type MessageOptions = UseCaseOptions<
  typeof composeTemplateSend | typeof composeRichReply | typeof sendAndWait | typeof sendReadReceipt
>;

interface Recipient {
  target: { to: string } | { userId: string };
  contact: { input: string; wa_id?: string; user_id?: string };
}

const sendEndpoint = graphEndpoint('messages:send');

export const messageEndpoints: Endpoints<MessageOptions> = async (app, options) => {
  app.post(
    '/:phoneNumberId/messages',
    {
      ...sendEndpoint({
        operationId: 'graphSend',
        object: 'number',
        idempotent: true,
        summary: "Send a message or a read receipt, like Meta's Messages API",
        description:
          "Text, files, locations, contact cards, reactions, interactive messages and templates. Meta's limits are checked before anything is charged. " +
          'Everything except templates is refused with code 131047 unless the contact sent a message within the last 24 hours.',
        params: NumberPath,
        body: MessageBody,
        data: MessageData,
        errors: [404, 422],
      }),
      preValidation: async ({ body }) => readTexts(body),
      // Errors of the whole body get Meta's code for messages.
      errorHandler: (error) => {
        throw toMessageError(error);
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      if (body.status !== undefined) {
        await forwardReadReceipt(options, toOwnedChannel(caller), body);
        return { success: true as const };
      }
      const { target, contact } = readRecipient(body);
      const type = findType(body);
      const notes = readNotes({
        metadata: body[CALLBACK_DATA_KEY] === undefined ? {} : { [CALLBACK_DATA_KEY]: body[CALLBACK_DATA_KEY] },
      });
      const { messageId } = await sendForRequest(options, request, reply, async (context) => {
        const composed = await compose(type, context);
        return notes ? { ...composed, notes } : composed;
      });
      return {
        messaging_product: 'whatsapp' as const,
        contacts: [contact],
        messages: [{ id: toSentMessageId(messageId), message_status: 'accepted' as const }],
      };

      async function compose(
        kind: RichType | 'template',
        context: Parameters<typeof composeTemplateSend>[3],
      ): Promise<SendRequest> {
        if (kind !== 'template') {
          const input = toRichInput(kind, body);
          return composeRichReply(options, caller, { target, input }, context).catch((error) => {
            throw toMessageError(error, { userId: 'recipient' });
          });
        }
        const { name: templateName, language, components } = requireTemplate(body);
        const choice = { templateName, language: language.code, components };
        return composeTemplateSend(options, caller, { ...target, ...choice }, context).catch((error) => {
          throw toTemplateError(error);
        });
      }
    },
  );
};

async function forwardReadReceipt(
  options: Parameters<typeof sendReadReceipt>[0],
  channel: Parameters<typeof sendReadReceipt>[1],
  { message_id: messageId, typing_indicator: typing }: Body,
): Promise<void> {
  if (messageId === undefined) throw invalidField('message_id', 'is required if status is sent', 'missing');
  const receipt = { messageId: parseSentMessageId(messageId), typing: typing !== undefined };
  await sendReadReceipt(options, channel, receipt).catch((error) => {
    throw toMessageError(error, { messageId: 'message_id' });
  });
}

function readRecipient({ to, recipient }: Body): Recipient {
  if (to !== undefined) {
    const number = readWrittenNumber(to, /^\d+$/.test(to) ? DIGITS_ONLY : INTERNATIONAL, 'whatsapp');
    if ('reason' in number) throw invalidField('to', number.reason, number.kind);
    return { target: { to: number.digits }, contact: { input: to, wa_id: number.digits } };
  }
  if (recipient === undefined) throw invalidField('to', 'is required unless recipient is sent', 'missing');
  if (!isUserId(recipient)) throw invalidField('recipient', USER_ID_RULE);
  return { target: { userId: recipient }, contact: { input: recipient, user_id: recipient } };
}

/** Meta's default type is text, but Meta's own examples also omit the type of other messages. */
function findType(body: Body): RichType | 'template' {
  return body.type ?? [...RICH_TYPES, 'template' as const].find((type) => body[type] !== undefined) ?? 'text';
}

function toRichInput(type: RichType, body: Body): RichInput {
  if (body.template !== undefined) throw invalidField('template', `must not be sent if type is ${type}`);
  const { context, reaction } = body;
  const content = Object.fromEntries(
    RICH_TYPES.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]])),
  );
  return {
    ...content,
    type,
    ...(context && { context: { ...context, message_id: parseSentMessageId(context.message_id) } }),
    ...(reaction && { reaction: { ...reaction, message_id: parseSentMessageId(reaction.message_id) } }),
  };
}

function requireTemplate({ template }: Body): NonNullable<Body['template']> {
  if (!template) throw invalidField('template', 'is required if type is template', 'missing');
  return template;
}
