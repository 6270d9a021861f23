import { Type } from '@sinclair/typebox';
import { playInbound, requireSimulator } from '../../../features/inbound/play.js';
import { IdUnlessDeleted } from '../../http/ids.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { PlayedInbound } from '../../resources/sends/played-inbound.js';
import { ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';

const InboundData = Type.Object({
  messageId: Id,
  whatsappMessageId: Type.String({ description: "The carrier's id, of an SMS too." }),
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  receivedAt: Timestamp,
});

export type SimulatorOptions = OptionsOf<typeof playInbound>;

const play = endpoint('Simulator', 'simulator:write');

/** What a channel's carrier would do, where that is the simulator. */
export const simulatorEndpoints: Endpoints<SimulatorOptions> = async (app, options) => {
  app.post(
    '/inbound',
    {
      ...play({
        operationId: 'playInbound',
        summary: 'Play a message from a contact',
        description:
          'An SMS in a channel of kind `sms`. Stored when it answers. Only for channels whose carrier is the simulator; ' +
          'others get 404.',
        body: PlayedInbound,
        data: InboundData,
        errors: [404],
      }),
      onRequest: async (request) => requireSimulator(request.caller.channel),
    },
    async ({ body, caller: { account, channel } }) => {
      const played = await playInbound(options, { ...channel, accountId: account.id }, body);
      const { messageId, carrierMessageId, contactId, conversationId, receivedAt } = played;
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
