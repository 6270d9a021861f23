import type { Contract } from '../contract.js';
import { ChannelPath } from '../paths.js';
import {
  ConsoleFileBody,
  ConsolePlayedBody,
  ConsoleReplyBody,
  ConsoleTemplateBody,
  PlayedData,
  SentData,
} from './sends-schemas.js';

const WAITS_FOR_CARRIER =
  'Charged like a send through the API. Responds once the carrier has responded; if the carrier permanently refuses the message, ' +
  'the response is 400 and the message is refunded. A request repeated with the same `Idempotency-Key` sends nothing.';

export const SENDS = {
  'POST /accounts/:accountId/channels/:channelId/messages/reply': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleSendReply',
    summary: 'Reply with free text within the 24-hour window',
    description: `Sends an SMS on a channel of kind \`sms\`, otherwise a WhatsApp message. ${WAITS_FOR_CARRIER}`,
    params: ChannelPath,
    body: ConsoleReplyBody,
    data: SentData,
    errors: [402, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/messages/file': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleSendFile',
    summary: 'Send a file of the channel within the 24-hour window',
    description: `Sent as an image, audio, video, sticker or document, depending on its content. ${WAITS_FOR_CARRIER}`,
    params: ChannelPath,
    body: ConsoleFileBody,
    data: SentData,
    errors: [402, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/messages/template': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consoleSendTemplate',
    summary: 'Send a template message',
    description: `The template must be APPROVED, and the request must contain exactly its parameters. ${WAITS_FOR_CARRIER}`,
    params: ChannelPath,
    body: ConsoleTemplateBody,
    data: SentData,
    errors: [402, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/simulator/inbound': {
    needs: 'developer',
    roleScope: 'account',
    operationId: 'consolePlayInbound',
    summary: 'Simulate an inbound message, if the carrier is the simulator',
    params: ChannelPath,
    body: ConsolePlayedBody,
    data: PlayedData,
  },
} satisfies Contract;
