import type { FastifyRequest } from 'fastify';
import { refusalOf } from '../../../../accounts/account-settings.js';
import { composeReply, composeTemplateSend, type SendOptions } from '../../../../features/conversations/compose.js';
import { sendAndWait } from '../../../../features/conversations/send-and-wait.js';
import { playInbound } from '../../../../features/inbound/play.js';
import type { SendRequest } from '../../../../messages/compose/send-request.js';
import { idempotencyClaim } from '../../../http/idempotency-key.js';
import type { OptionsOf } from '../../../http/options-of.js';
import { originOf } from '../../../http/origin.js';
import { ReplyBody, TemplateSendBody } from '../../../http/schemas/channel-sends.js';
import { PlayedInbound } from '../../../http/schemas/played-inbound.js';
import { ok } from '../../answers.js';
import { type Endpoints, endpoint } from '../../endpoint.js';
import { ChannelPath } from '../../paths.js';
import { accountOf, channelOf } from '../../session-auth.js';
import { PlayedData, SentData } from './send-schemas.js';

export type SendsOptions = OptionsOf<
  typeof composeReply | typeof composeTemplateSend | typeof sendAndWait | typeof playInbound
>;

const PATH = '/accounts/:accountId/channels/:channelId';
const WAITS =
  'Charged as for a client of the API. Answers once the carrier has; its final refusal is 400, refunded. With an ' +
  '`Idempotency-Key` a repetition sends nothing.';

/** Writing to the contacts of a channel, and for them where its carrier is the simulator. */
export const sendEndpoints: Endpoints<SendsOptions> = async (app, options) => {
  /** Sends on behalf of the channel of the path, and writes down who did. */
  const send = async (
    request: FastifyRequest,
    action: string,
    compose: (
      sender: { account: ReturnType<typeof accountOf>; channel: ReturnType<typeof channelOf> },
      how: SendOptions,
    ) => Promise<SendRequest>,
  ) => {
    const [account, channel] = [accountOf(request), channelOf(request)];
    const refusal = refusalOf(account);
    if (refusal) throw refusal;
    const claim = idempotencyClaim(request, `${request.method} ${request.routeOptions.url}`);
    const idempotency = claim && { ...claim, key: `${channel.id} console ${claim.key}` };
    let repeated = false;
    const sent = await sendAndWait(options, {
      account,
      claim: idempotency,
      origin: originOf(request),
      compose: () => compose({ account, channel }, { idempotency }),
      onAccepted: (messages) => {
        request.accepted = messages;
      },
      onReplay: () => {
        repeated = true;
      },
    });
    const { messageId, contactId, conversationId, status } = sent;
    if (!repeated) await request.audit({ action, subject: messageId, after: { channelId: channel.id, contactId } });
    return ok({ messageId, contactId, conversationId, status });
  };

  app.post(
    `${PATH}/messages/reply`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleSendReply',
      summary: 'Reply with free text, within the 24 hours of the window',
      description: `An SMS in a channel of kind \`sms\`, a WhatsApp message in any other. ${WAITS}`,
      params: ChannelPath,
      body: ReplyBody,
      data: SentData,
      errors: [402, 422],
    }),
    (request) => send(request, 'message.reply', (sender, how) => composeReply(options, sender, request.body, how)),
  );

  app.post(
    `${PATH}/messages/template`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consoleSendTemplate',
      summary: 'Send a template message',
      description: `The template must be APPROVED and be given all of its parameters and no other. ${WAITS}`,
      params: ChannelPath,
      body: TemplateSendBody,
      data: SentData,
      errors: [402, 422],
    }),
    (request) =>
      send(request, 'message.template', (sender, how) => composeTemplateSend(options, sender, request.body, how)),
  );

  app.post(
    `${PATH}/simulator/inbound`,
    endpoint({
      needs: 'developer',
      of: 'account',
      operationId: 'consolePlayInbound',
      summary: 'Play a message from a contact, where the carrier is the simulator',
      params: ChannelPath,
      body: PlayedInbound,
      data: PlayedData,
    }),
    async (request) => {
      const channel = { ...channelOf(request), accountId: accountOf(request).id };
      const { messageId, contactId, conversationId, receivedAt } = await playInbound(options, channel, request.body);
      await request.audit({ action: 'simulator.inbound', subject: messageId, after: { channelId: channel.id } });
      return ok({ messageId, contactId, conversationId, receivedAt: receivedAt.toISOString() });
    },
  );
};
