import { Type } from '@sinclair/typebox';
import { byStandardWebhooks } from '../callbacks/signatures.js';
import { at, definePreset, fields, OUR_WORDS, secret, when } from './preset.js';

/** Another Heliograph, by version 2 of its API (docs/sending.md); it signs by Standard Webhooks. */
export const heliograph = definePreset('heliograph', 'Another Heliograph', {
  help: 'A key of an app there (heliograph app create) and the callback secret of its account (POST /v2/callback-secret), by which it signs receipts.',
  settings: {
    apiKey: secret('Key of an app of the other server.'),
    webhookSecret: Type.Optional(
      secret('Callback secret of the account there, whsec_…, by which its receipts are signed.', {
        pattern: '^whsec_',
      }),
    ),
  },
  baseUrl: null,
  problems: ({ publicUrl, webhookSecret }) =>
    publicUrl !== undefined && webhookSecret === undefined
      ? ['webhookSecret must be set with publicUrl: receipts are signed by it']
      : [],
  plan: ({ baseUrl, apiKey, webhookSecret }) => ({
    auth: { kind: 'bearer', token: apiKey },
    send: {
      method: 'POST',
      url: `${baseUrl}/v2/send`,
      // A message whose answer was lost is not sent twice there.
      headers: { 'idempotency-key': '{id}' },
      json: {
        to: '{to}',
        from: '{from}',
        channel: 'sms',
        message: '{text}',
        reference: '{id}',
        // The same for every attempt: another body under the same key would be refused.
        valid_until: '{expires_at}',
        callback_url: '{receipt_url}',
      },
    },
    answer: {
      success: when('status = 200 and data[0].message_id exists'),
      id: at('data[0].message_id'),
      code: at('code'),
      message: at('message'),
      // Its guard refuses or holds a number, by which all others would else be paused.
      cases: [
        { when: when('status = 403 and data.errors[0].field ~ /^to/'), meaning: 'final' },
        { when: when('status = 429 and data.errors[0].field ~ /^to/'), meaning: 'again' },
      ],
      meanings: {
        credit: ['402'],
        credentials: ['401', '403'],
        throttled: ['429'],
        again: ['408', '503'],
        // 422: the key belongs to a request of the version before, which did not have this field.
        lost: ['422', '500'],
      },
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/v1.0/account/balance` },
      amount: at('balance'),
      currency: at('currency'),
    },
    receiptsTo: 'events',
    receipts: {
      when: when('type = message.status'),
      ...fields({
        id: 'data.messageId',
        status: 'data.status',
        code: 'data.errorCode',
        message: 'data.errorMessage',
        at: 'timestamp',
      }),
      states: {
        ...OUR_WORDS,
        sending: null,
        rejected: 'rejected',
        expired: 'expired',
        canceled: 'failed',
      },
    },
    verify: webhookSecret === undefined ? null : byStandardWebhooks(webhookSecret),
  }),
});
