import { Type } from '@sinclair/typebox';
import { byTelnyx } from '../callbacks/signatures.js';
import { filesIn } from './mms.js';
import { condition, definePreset, fields, fromAnswer, secret, text } from './preset.js';

/** https://developers.telnyx.com/api/messaging/send-message; signature: "Webhook signing". */
export const telnyx = definePreset('telnyx', 'Telnyx', {
  help: 'Use an API key and the public key of the account. Enter the URL for messages as the webhook URL of the messaging profile. Receipts are requested with each message.',
  repliesToKeywords: true,
  settings: {
    apiKey: secret('API key (v2).'),
    publicKey: text('Public key of the account: 32 bytes in base64.', { pattern: '^[A-Za-z0-9+/]{43}=$' }),
    messagingProfileId: Type.Optional(text('Messaging profile, for alphanumeric sender IDs.')),
  },
  baseUrl: 'https://api.telnyx.com',
  buildPlan: ({ baseUrl, apiKey, publicKey, messagingProfileId }) => ({
    auth: { kind: 'bearer', token: apiKey },
    send: {
      method: 'POST',
      url: `${baseUrl}/v2/messages`,
      json: {
        from: '{from_plus}',
        to: '{to_plus}',
        text: '{text}',
        type: 'SMS',
        webhook_url: '{receipt_url}',
        ...(messagingProfileId !== undefined && { messaging_profile_id: messagingProfileId }),
      },
    },
    answer: {
      success: condition('status = 2xx and data.id exists'),
      id: fromAnswer('data.id'),
      code: fromAnswer('errors[0].code'),
      message: fromAnswer('errors[0].detail', 'errors[0].title'),
      meanings: {
        throttled: ['10011', '40318'],
        again: ['10007', '40004'],
        credentials: ['10009', '10010', '20012', '20100'],
        credit: ['20013', '20014'],
      },
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/v2/balance` },
      amount: fromAnswer('data.available_credit', 'data.balance'),
      currency: fromAnswer('data.currency'),
    },
    receiptsTo: 'events',
    receipts: {
      items: ['data'],
      when: condition('event_type in (message.sent, message.finalized)'),
      ...fields({
        id: 'payload.id',
        status: 'payload.to[0].status',
        code: 'payload.errors[0].code',
        message: 'payload.errors[0].title',
        at: 'payload.completed_at',
      }),
      states: {
        queued: null,
        sending: null,
        sent: null,
        delivered: 'delivered',
        // This status means that the message has reached a mobile operator that sends no further reports.
        delivery_unconfirmed: null,
        delivery_failed: 'undelivered',
        sending_failed: 'failed',
        expired: 'expired',
      },
    },
    inbound: {
      items: ['data'],
      when: condition('event_type = message.received'),
      ...fields({
        id: 'payload.id',
        from: 'payload.from.phone_number',
        to: 'payload.to.*.phone_number',
        text: 'payload.text',
        at: 'payload.received_at',
      }),
      findFiles: (item) => filesIn(item, { list: 'payload.media', url: 'url', mimeType: 'content_type' }),
    },
    verify: byTelnyx(publicKey),
  }),
});
