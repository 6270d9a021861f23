import {
  ConsoleFileBody,
  ConsolePlayedBody,
  ConsoleReplyBody,
  ConsoleTemplateBody,
  PlayedData,
  SentData,
} from './sends-schemas.js';
import { ChannelPath } from '../paths.js';
import type { Contract } from '../contract.js';

const WAITS =
  'Charged as for a client of the API. Answers once the carrier has; its final refusal is 400, refunded. With an ' +
  '`Idempotency-Key` a repetition sends nothing.';

export const SENDS = {
  'POST /accounts/:accountId/channels/:channelId/messages/reply': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleSendReply',
    summary: 'Reply with free text, within the 24 hours of the window',
    description: `An SMS in a channel of kind \`sms\`, a WhatsApp message in any other. ${WAITS}`,
    params: ChannelPath,
    body: ConsoleReplyBody,
    data: SentData,
    errors: [402, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/messages/file': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleSendFile',
    summary: 'Send a file of the channel, within the 24 hours of the window',
    description: `A picture, a sound, a video, a sticker or a document, as its content says. ${WAITS}`,
    params: ChannelPath,
    body: ConsoleFileBody,
    data: SentData,
    errors: [402, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/messages/template': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleSendTemplate',
    summary: 'Send a template message',
    description: `The template must be APPROVED and be given all of its parameters and no other. ${WAITS}`,
    params: ChannelPath,
    body: ConsoleTemplateBody,
    data: SentData,
    errors: [402, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/simulator/inbound': {
    needs: 'developer',
    of: 'account',
    operationId: 'consolePlayInbound',
    summary: 'Play a message from a contact, where the carrier is the simulator',
    params: ChannelPath,
    body: ConsolePlayedBody,
    data: PlayedData,
  },
} satisfies Contract;
