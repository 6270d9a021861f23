import { Type } from '@sinclair/typebox';
import { bySmsGate } from '../callbacks/signatures.js';
import { numberAt, textAt } from './mms.js';
import { at, definePreset, field, fields, secret, text, when } from './preset.js';

/**
 * https://docs.sms-gate.app: an Android telephone, by its own server (local), the project's or one of yours. It calls the
 * webhooks that are registered there, by `X-Signature` over body and timestamp.
 */
export const smsgate = definePreset('smsgate', 'SMSGate (an Android telephone)', {
  help: 'Of a telephone on your network baseUrl is http://<its address>:8080, which CARRIER_PRIVATE_HOSTS must name. Register webhooks there: sms:sent, sms:delivered and sms:failed with the address for receipts, sms:received with that for messages.',
  settings: {
    username: text('User name of the app or server.'),
    password: secret('Its password.'),
    phoneNumber: Type.Optional(
      text('Number of the SIM card, digits with country code: what comes in is for its channel.', {
        pattern: '^[1-9][0-9]{5,14}$',
      }),
    ),
    simNumber: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 8, description: 'SIM card that sends; left out: that of the telephone.' }),
    ),
    deviceId: Type.Optional(text('Telephone that sends, of several.')),
    signingKey: Type.Optional(secret('Signing key of the webhooks: what is reported must be signed by it.')),
  },
  baseUrl: 'https://api.sms-gate.app/3rdparty/v1',
  hasPathSecret: true,
  plan: ({ baseUrl, username, password, phoneNumber, simNumber, deviceId, signingKey }) => ({
    // Every attempt has the same ID there, so it sends the message once.
    ids: 'ours',
    auth: { kind: 'basic', username, password },
    send: {
      method: 'POST',
      url: `${baseUrl}/messages`,
      json: {
        // One that is known is not sent again.
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
      // 409: it has a message with this id, which is ours.
      success: when('status in (200, 201, 202, 409)'),
      id: null,
      code: null,
      message: at('message'),
      meanings: {},
    },
    receipts: {
      when: when('event in (sms:sent, sms:delivered, sms:failed, sms:cancelled)'),
      ...fields({ id: 'payload.messageId', status: 'event', message: 'payload.reason' }),
      // The telephone reports each delivered part by an event of its own, and does not say which part it is. A failed one fails all.
      part: (item) =>
        textAt(item, 'event') === 'sms:delivered'
          ? { key: textAt(item, 'id') ?? '', total: numberAt(item, 'payload.partsCount') }
          : null,
      states: { 'sms:sent': null, 'sms:delivered': 'delivered', 'sms:failed': 'failed', 'sms:cancelled': 'failed' },
    },
    inbound: {
      when: when('event in (sms:received, sms:data-received, mms:received, mms:downloaded)'),
      ...fields({ id: 'id', to: 'payload.recipient' }),
      from: field('payload.sender', 'payload.phoneNumber'),
      text: field('payload.message', 'payload.body', 'payload.subject'),
      idFrom: identifyMessage,
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
 * Some telephones report a message twice, under two event IDs. `messageId` is not unique either, because it is made of the text: the
 * same text from the same sender at another time is another message.
 */
function identifyMessage(item: unknown): string | null {
  const about = [
    'payload.messageId',
    'payload.receivedAt',
    'payload.sender',
    'payload.phoneNumber',
    'payload.simNumber',
  ];
  const [messageId, receivedAt, ...others] = about.map((path) => textAt(item, path));
  if (!messageId || !receivedAt) return textAt(item, 'id');
  return [messageId, receivedAt, ...others.filter(Boolean)].join(' ');
}
