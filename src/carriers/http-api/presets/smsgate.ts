import { Type } from '@sinclair/typebox';
import { bySmsGate } from '../callbacks/signatures.js';
import { numberAt, textAt } from './mms.js';
import { condition, definePreset, field, fields, fromAnswer, secret, text } from './preset.js';

/**
 * https://docs.sms-gate.app. The SMSGate server may run on the phone, at the SMSGate project, or on the operator's own server.
 */
export const smsgate = definePreset('smsgate', 'SMSGate (an Android phone)', {
  help: 'For a phone on your network, baseUrl is http://<its address>:8080, and CARRIER_PRIVATE_HOSTS must contain that address. Register webhooks there: sms:sent, sms:delivered and sms:failed with the URL for receipts, sms:received with the URL for messages.',
  settings: {
    username: text('User name in the app or on the server.'),
    password: secret('Password of that user.'),
    phoneNumber: Type.Optional(
      text('Phone number of the SIM card, digits with country code. Inbound messages go to its channel.', {
        pattern: '^[1-9][0-9]{5,14}$',
      }),
    ),
    simNumber: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 8, description: 'SIM card to send with. Left out: the phone chooses.' }),
    ),
    deviceId: Type.Optional(text('Phone to send with, if there are several.')),
    signingKey: Type.Optional(secret('Signing key of the webhooks. If set, reports must be signed with it.')),
  },
  baseUrl: 'https://api.sms-gate.app/3rdparty/v1',
  hasPathSecret: true,
  buildPlan: ({ baseUrl, username, password, phoneNumber, simNumber, deviceId, signingKey }) => ({
    // All attempts share our message ID, so SMSGate sends the message only once.
    ids: 'ours',
    auth: { kind: 'basic', username, password },
    send: {
      method: 'POST',
      url: `${baseUrl}/messages`,
      json: {
        id: '{id}',
        textMessage: { text: '{text}' },
        phoneNumbers: ['{to_plus}'],
        ttl: '{validity_seconds}',
        withDeliveryReport: true,
        ...(simNumber !== undefined && { simNumber }),
        ...(deviceId !== undefined && { deviceId }),
      },
    },
    answer: {
      // SMSGate answers 409 if it already has a message with our ID.
      success: condition('status in (200, 201, 202, 409)'),
      id: null,
      code: null,
      message: fromAnswer('message'),
      meanings: {},
    },
    receipts: {
      when: condition('event in (sms:sent, sms:delivered, sms:failed, sms:cancelled)'),
      ...fields({ id: 'payload.messageId', status: 'event', message: 'payload.reason' }),
      // Delivered parts are reported without a part number, but a single failed part fails the whole message.
      readPart: (item) =>
        textAt(item, 'event') === 'sms:delivered'
          ? { key: textAt(item, 'id') ?? '', total: numberAt(item, 'payload.partsCount') }
          : null,
      states: { 'sms:sent': null, 'sms:delivered': 'delivered', 'sms:failed': 'failed', 'sms:cancelled': 'failed' },
    },
    inbound: {
      when: condition('event in (sms:received, sms:data-received, mms:received, mms:downloaded)'),
      ...fields({ id: 'id', to: 'payload.recipient' }),
      from: field('payload.sender', 'payload.phoneNumber'),
      text: field('payload.message', 'payload.body', 'payload.subject'),
      deriveId: identifyMessage,
      decode: (item) =>
        textAt(item, 'event') === 'sms:data-received'
          ? { body: textAt(item, 'payload.data') ?? '', isBinary: true }
          : null,
      ourNumber: phoneNumber,
    },
    verify: signingKey === undefined ? null : bySmsGate(signingKey),
  }),
});

/**
 * Some phones report a message twice, under two event IDs. Time and numbers are needed to identify a message, because
 * `messageId` depends only on the text.
 */
function identifyMessage(item: unknown): string | null {
  const identifyingPaths = [
    'payload.messageId',
    'payload.receivedAt',
    'payload.sender',
    'payload.phoneNumber',
    'payload.simNumber',
  ];
  const [messageId, receivedAt, ...others] = identifyingPaths.map((path) => textAt(item, path));
  if (!messageId || !receivedAt) return textAt(item, 'id');
  return [messageId, receivedAt, ...others.filter(Boolean)].join(' ');
}
