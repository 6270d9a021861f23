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

const WAITS =
  'Charged like a send through the API. Answers once the carrier has answered; if it refuses the message for good, the answer ' +
  'is 400 and the message is refunded. A request repeated with the same ' +
  '`Idempotency-Key` sends nothing.';

export const SENDS = {
  'POST /accounts/:accountId/channels/:channelId/messages/reply': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleSendReply',
    summary: 'Reply with free text within the 24-hour window',
    description: `On a channel of kind \`sms\` an SMS, on any other a WhatsApp message. ${WAITS}`,
    params: ChannelPath,
    body: ConsoleReplyBody,
    data: SentData,
    errors: [402, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/messages/file': {
    needs: 'developer',
    of: 'account',
    operationId: 'consoleSendFile',
    summary: 'Send a file of the channel within the 24-hour window',
    description: `As an image, audio, video, sticker or document, depending on its content. ${WAITS}`,
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
    description: `The template must be APPROVED and must get exactly its parameters. ${WAITS}`,
    params: ChannelPath,
    body: ConsoleTemplateBody,
    data: SentData,
    errors: [402, 422],
  },
  'POST /accounts/:accountId/channels/:channelId/simulator/inbound': {
    needs: 'developer',
    of: 'account',
    operationId: 'consolePlayInbound',
    summary: 'Simulate an inbound message, if the carrier is the simulator',
    params: ChannelPath,
    body: ConsolePlayedBody,
    data: PlayedData,
  },
} satisfies Contract;
