import { Type } from '@sinclair/typebox';
import { byStandardWebhooks } from '../callbacks/signatures.js';
import { COMMON_STATES, condition, definePreset, fields, fromAnswer, secret } from './preset.js';

/** Version 2 of the API (docs/send/sms.md). */
export const heliograph = definePreset('heliograph', 'Another Heliograph', {
  help: 'Create a key there (heliograph app create) and the callback secret of its account (POST /v2/callback-secret), which signs receipts.',
  settings: {
    apiKey: secret('Key of an app on the other server.'),
    webhookSecret: Type.Optional(
      secret('Callback secret of the account there (whsec_…). Receipts are signed with it.', {
        pattern: '^whsec_',
      }),
    ),
  },
  baseUrl: null,
  findProblems: ({ publicUrl, webhookSecret }) =>
    publicUrl !== undefined && webhookSecret === undefined
      ? ['webhookSecret must be set with publicUrl: receipts are signed with it']
      : [],
  buildPlan: ({ baseUrl, apiKey, webhookSecret }) => ({
    auth: { kind: 'bearer', token: apiKey },
    send: {
      method: 'POST',
      url: `${baseUrl}/v2/send`,
      headers: { 'idempotency-key': '{id}' },
      json: {
        to: '{to}',
        from: '{from}',
        channel: 'sms',
        message: '{text}',
        reference: '{id}',
        // The expiry time is the same for every attempt, because a different body with the same idempotency key would be
        // refused.
        valid_until: '{expires_at}',
        callback_url: '{receipt_url}',
      },
    },
    answer: {
      success: condition('status = 200 and data[0].message_id exists'),
      id: fromAnswer('data[0].message_id'),
      code: fromAnswer('code'),
      message: fromAnswer('message'),
      // 403 and 429 for a single recipient come from the spending guard, so they must not pause the whole carrier.
      cases: [
        { when: condition('status = 403 and data.errors[0].field ~ /^to/'), meaning: 'final' },
        { when: condition('status = 429 and data.errors[0].field ~ /^to/'), meaning: 'again' },
      ],
      meanings: {
        credit: ['402'],
        credentials: ['401', '403'],
        throttled: ['429'],
        again: ['408', '503'],
        // 422 can mean that an earlier version used the idempotency key for a body without `valid_until`.
        lost: ['422', '500'],
      },
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/v1.0/account/balance` },
      amount: fromAnswer('balance'),
      currency: fromAnswer('currency'),
    },
    receiptsTo: 'events',
    receipts: {
      when: condition('type = message.status'),
      ...fields({
        id: 'data.messageId',
        status: 'data.status',
        code: 'data.errorCode',
        message: 'data.errorMessage',
        at: 'timestamp',
      }),
      states: {
        ...COMMON_STATES,
        sending: null,
        rejected: 'rejected',
        expired: 'expired',
        canceled: 'failed',
      },
    },
    verify: webhookSecret === undefined ? null : byStandardWebhooks(webhookSecret),
  }),
});
