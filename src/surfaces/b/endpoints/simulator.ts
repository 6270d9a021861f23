import { type Static, Type } from '@sinclair/typebox';
import type { ChannelCaller } from '../../../accounts/channel-authenticator.js';
import type { InboundReport } from '../../../carriers/inbound-message.js';
import { Simulator } from '../../../carriers/simulator/simulator.js';
import { receiveInbound } from '../../../features/inbound/receive.js';
import { WHATSAPP_TEXT_LIMIT } from '../../../messages/compose/v2-plan.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError, invalidField } from '../../../platform/errors/app-error.js';
import { quote } from '../../../platform/errors/field-problems.js';
import { newId } from '../../../platform/ids.js';
import { isPhoneNumber, PHONE_RULE, type PhoneValidation, phoneRule } from '../../../platform/text/phone-numbers.js';
import type { OptionsOf } from '../../http/options-of.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';
import { ok } from '../answers.js';
import { type Endpoints, endpoint } from '../endpoint.js';
import { IdUnlessDeleted } from '../ids.js';

const TYPES = ['text', 'image', 'document', 'button', 'location'] as const;

const InboundBody = Type.Object(
  {
    from: Type.String({
      description: 'Who writes: a phone number with country code, digits only.',
      examples: ['15005550111'],
      [RULE]: PHONE_RULE,
    }),
    text: Type.Optional(
      Type.String({
        description: 'Text, caption or button text. Required for text.',
        maxLength: WHATSAPP_TEXT_LIMIT,
        examples: ['Hello'],
        [RULE]: `must be a text of at most ${WHATSAPP_TEXT_LIMIT} characters`,
      }),
    ),
    id: Type.Optional(
      Type.String({
        description: "The carrier's id. One that was played before changes nothing. Without it a new one is made.",
        minLength: 1,
        maxLength: 255,
        examples: ['wamid.inbound-1'],
        [RULE]: 'must be a string of 1 to 255 characters',
      }),
    ),
    type: Type.Optional(
      Type.Unsafe<(typeof TYPES)[number]>({
        type: 'string',
        enum: [...TYPES],
        default: 'text',
        [RULE]: `must be ${TYPES.slice(0, -1).join(', ')} or ${TYPES.at(-1)}`,
      }),
    ),
    payload: Type.Optional(
      Type.Object(
        {},
        { description: "What the carrier sends under the type's name; kept as it is.", [RULE]: 'must be an object' },
      ),
    ),
  },
  {
    examples: [
      { from: '15005550111', text: 'Hello' },
      {
        from: '15005550111',
        type: 'location',
        payload: { latitude: 52.52, longitude: 13.405, name: 'Berlin' },
        id: 'wamid.inbound-2',
      },
    ],
  },
);

const InboundData = Type.Object({
  messageId: Id,
  whatsappMessageId: Type.String({ description: "The carrier's id, of an SMS too." }),
  contactId: IdUnlessDeleted('contact'),
  conversationId: IdUnlessDeleted('conversation'),
  receivedAt: Timestamp,
});

export type SimulatorOptions = OptionsOf<typeof receiveInbound> & { clock: Clock; phoneValidation: PhoneValidation };

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
        body: InboundBody,
        data: InboundData,
        errors: [404],
      }),
      onRequest: async (request) => {
        if (request.caller.channel.carrier === Simulator.carrierName) return;
        throw new AppError('NOT_FOUND', 'The carrier of this channel is not the simulator.');
      },
    },
    async ({ body, caller: { account, channel } }) => {
      if (!isPhoneNumber(body.from, options.phoneValidation)) {
        throw invalidField('from', `${phoneRule(body.from)} (it is ${quote(body.from)})`);
      }
      const report = reportOf(body, channel.kind, options.clock.now());
      const stored = await receiveInbound(options, { ...channel, accountId: account.id }, report);
      const { messageId, contactId, conversationId, receivedAt } = stored;
      return ok({
        messageId,
        whatsappMessageId: report.carrierMessageId,
        contactId,
        conversationId,
        receivedAt: receivedAt.toISOString(),
      });
    },
  );
};

function reportOf(
  body: Static<typeof InboundBody>,
  kind: ChannelCaller['channel']['kind'],
  receivedAt: Date,
): InboundReport {
  const { from, type = 'text' } = body;
  if (kind === 'sms' && type !== 'text') throw invalidField('type', 'must be text in an SMS channel');
  const payload = (body.payload ?? {}) as Record<string, unknown>;
  const text = body.text ?? spoken(payload.caption) ?? spoken(payload.text) ?? '';
  if (type === 'text' && text === '') throw invalidField('text', 'is required for the type text');
  const made = kind === 'sms' ? `sim-${newId()}` : `wamid.${Buffer.from(newId()).toString('base64')}`;
  const carrierMessageId = body.id ?? made;
  return {
    carrierMessageId,
    from,
    type,
    body: text,
    payload: type === 'text' && !body.payload ? { body: text } : payload,
    receivedAt,
  };
}

function spoken(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
