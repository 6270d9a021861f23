import { Type } from '@sinclair/typebox';
import { playInbound, requireSimulator } from '../../../features/inbound/play.js';
import { IdUnlessDeleted } from '../../http/ids.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import type { UseCaseOptions } from '../../http/use-case-options.js';
import { PlayedInbound } from '../../resources/sends/played-inbound.js';
import { ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';

const InboundData = Type.Object({
  messageId: Id,
  whatsappMessageId: Type.String({ description: "The carrier's message ID, also for SMS." }),
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  receivedAt: Timestamp,
});

export type SimulatorOptions = UseCaseOptions<typeof playInbound>;

const playEndpoint = endpoint('Simulator', 'simulator:write');

/** The endpoints work only for channels whose carrier is the simulator. */
export const simulatorEndpoints: Endpoints<SimulatorOptions> = async (app, options) => {
  app.post(
    '/inbound',
    {
      ...playEndpoint({
        operationId: 'playInbound',
        summary: 'Simulate an inbound message',
        description:
          'Simulates an SMS on a channel of kind `sms`, otherwise a WhatsApp message. The message is stored before the response is sent. If ' +
          'the channel’s carrier is not the simulator, the response is 404.',
        body: PlayedInbound,
        data: InboundData,
        errors: [404],
      }),
      onRequest: async (request) => requireSimulator(request.caller.channel),
    },
    async ({ body, caller: { account, channel } }) => {
      const inbound = await playInbound(options, { ...channel, accountId: account.id }, body);
      const { messageId, carrierMessageId, contactId, conversationId, receivedAt } = inbound;
      return ok({
        messageId,
        whatsappMessageId: carrierMessageId,
        contactId,
        conversationId,
        receivedAt: receivedAt.toISOString(),
      });
    },
  );
};
