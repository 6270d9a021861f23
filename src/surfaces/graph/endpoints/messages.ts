import type { Static } from '@sinclair/typebox';
import { isUserId, USER_ID_RULE } from '../../../carriers/numbers/user-ids.js';
import { DIGITS_ONLY, INTERNATIONAL, readWrittenNumber } from '../../../carriers/numbers/written-numbers.js';
import { parseSentMessageId, sentMessageId } from '../../../features/channels/graph-ids.js';
import { sendReadReceipt } from '../../../features/conversations/read-receipt.js';
import { composeTemplateSend } from '../../../features/conversations/sending/compose.js';
import { composeRichReply } from '../../../features/conversations/sending/compose-rich.js';
import type { sendAndWait } from '../../../features/conversations/sending/send-and-wait.js';
import { readNotes } from '../../../messages/compose/notes.js';
import { RICH_TYPES, type RichInput, type RichType } from '../../../messages/compose/rich.js';
import type { SendRequest } from '../../../messages/compose/send-request.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import type { OptionsOf } from '../../http/options-of.js';
import { ownedChannel } from '../../resources/callers/owned-channel.js';
import { waitedSend } from '../../resources/sends/waited-send.js';
import { type Endpoints, graphEndpoint, NumberPath } from '../endpoint.js';
import { ofMessage } from '../errors.js';
import { templateError } from '../template-errors.js';
import { readTexts } from '../texts.js';
import { MessageBody, MessageData, OPAQUE } from './message-schemas.js';

type Body = Static<typeof MessageBody>;

export type MessageOptions = OptionsOf<
  typeof composeTemplateSend | typeof composeRichReply | typeof sendAndWait | typeof sendReadReceipt
>;

/** To whom a message goes, and what the answer says of them. */
interface Recipient {
  target: { to: string } | { userId: string };
  contact: { input: string; wa_id?: string; user_id?: string };
}

const send = graphEndpoint('messages:send');

export const messageEndpoints: Endpoints<MessageOptions> = async (app, options) => {
  app.post(
    '/:phoneNumberId/messages',
    {
      ...send({
        operationId: 'graphSend',
        object: 'number',
        idempotent: true,
        summary: "Send a message, or show that one was read, as Meta's Messages API",
        description:
          "Text, files, locations, contact cards, reactions, interactive messages and templates, with Meta's limits, checked before anything is charged. " +
          'All but templates are refused with the code 131047 unless the contact sent a message within the last 24 hours.',
        params: NumberPath,
        body: MessageBody,
        data: MessageData,
        errors: [404, 422],
      }),
      preValidation: async ({ body }) => readTexts(body),
      // What is wrong with the body as a whole has Meta's code for messages.
      errorHandler: (error) => {
        throw ofMessage(error);
      },
    },
    async (request, reply) => {
      const { caller, body } = request;
      if (body.status !== undefined) {
        await showRead(options, ownedChannel(caller), body);
        return { success: true as const };
      }
      const { target, contact } = recipientOf(body);
      const type = typeOf(body);
      const notes = readNotes({ metadata: body[OPAQUE] === undefined ? {} : { [OPAQUE]: body[OPAQUE] } });
      const { messageId } = await waitedSend(options, request, reply, async (how) => {
        const composed = await compose(type, how);
        return notes ? { ...composed, notes } : composed;
      });
      return {
        messaging_product: 'whatsapp' as const,
        contacts: [contact],
        messages: [{ id: sentMessageId(messageId), message_status: 'accepted' as const }],
      };

      async function compose(
        kind: RichType | 'template',
        how: Parameters<typeof composeTemplateSend>[3],
      ): Promise<SendRequest> {
        if (kind !== 'template') {
          const input = richInput(kind, body);
          return composeRichReply(options, caller, { target, input }, how).catch((error) => {
            throw ofMessage(error, { userId: 'recipient' });
          });
        }
        const { name: templateName, language, components } = requiredTemplate(body);
        const choice = { templateName, language: language.code, components };
        return composeTemplateSend(options, caller, { ...target, ...choice }, how).catch((error) => {
          throw templateError(error);
        });
      }
    },
  );
};

async function showRead(
  options: Parameters<typeof sendReadReceipt>[0],
  channel: Parameters<typeof sendReadReceipt>[1],
  { message_id: given, typing_indicator: typing }: Body,
): Promise<void> {
  if (given === undefined) throw invalidField('message_id', 'is required where status is sent');
  const mark = { messageId: parseSentMessageId(given), typing: typing !== undefined };
  await sendReadReceipt(options, channel, mark).catch((error) => {
    throw ofMessage(error, { messageId: 'message_id' });
  });
}

/** @throws {AppError} INVALID_REQUEST where neither says it, or the one that does is malformed */
function recipientOf({ to, recipient }: Body): Recipient {
  if (to !== undefined) {
    const read = readWrittenNumber(to, /^\d+$/.test(to) ? DIGITS_ONLY : INTERNATIONAL, 'whatsapp');
    if ('reason' in read) throw invalidField('to', read.reason);
    return { target: { to: read.digits }, contact: { input: to, wa_id: read.digits } };
  }
  if (recipient === undefined) throw invalidField('to', 'is required unless recipient is sent');
  if (!isUserId(recipient)) throw invalidField('recipient', USER_ID_RULE);
  return { target: { userId: recipient }, contact: { input: recipient, user_id: recipient } };
}

/** Meta takes a message without a type for one of text; its own examples leave it out of others too. */
function typeOf(body: Body): RichType | 'template' {
  return body.type ?? [...RICH_TYPES, 'template' as const].find((type) => body[type] !== undefined) ?? 'text';
}

function richInput(type: RichType, body: Body): RichInput {
  if (body.template !== undefined) throw invalidField('template', `must not be sent where type is ${type}`);
  const { context, reaction } = body;
  const given = Object.fromEntries(
    RICH_TYPES.flatMap((each) => (body[each] === undefined ? [] : [[each, body[each]]])),
  );
  return {
    ...given,
    type,
    ...(context && { context: { ...context, message_id: parseSentMessageId(context.message_id) } }),
    ...(reaction && { reaction: { ...reaction, message_id: parseSentMessageId(reaction.message_id) } }),
  };
}

function requiredTemplate({ template }: Body): NonNullable<Body['template']> {
  if (!template) throw invalidField('template', 'is required where type is template');
  return template;
}
