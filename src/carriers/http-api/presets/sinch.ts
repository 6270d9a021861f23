import { bySecretInPath } from '../callbacks/verify.js';
import { at, definePreset, fields, text, when } from './preset.js';

/** https://developers.sinch.com/docs/sms/api-reference (XMS batches). Its callbacks are told by the secret in the path. */
export const sinch = definePreset({
  name: 'sinch',
  title: 'Sinch (XMS)',
  help: 'baseUrl is that of the region, such as https://eu.sms.api.sinch.com. Enter the address for messages as the callback URL of the service plan; receipts are asked for with each message.',
  settings: {
    servicePlanId: text('Id of the service plan.', { pattern: '^[A-Za-z0-9_-]+$' }),
    apiToken: text('API token of the service plan.'),
  },
  secrets: ['apiToken'],
  baseUrl: 'https://us.sms.api.sinch.com',
  hasPathSecret: true,
  plan: ({ baseUrl, servicePlanId, apiToken, callbackSecret, publicUrl }) => ({
    auth: { kind: 'bearer', token: apiToken },
    send: {
      method: 'POST',
      url: `${baseUrl}/xms/v1/${servicePlanId}/batches`,
      json: {
        from: '{from}',
        to: ['{to}'],
        body: '{text}',
        type: 'mt_text',
        expire_at: '{valid_until}',
        client_reference: '{id}',
        ...(publicUrl !== undefined && { delivery_report: 'per_recipient', callback_url: '{receipt_url}' }),
      },
    },
    answer: {
      success: when('status = 201 and id exists'),
      id: at('id'),
      code: at('code'),
      message: at('text'),
      meanings: { credentials: ['unauthorized', 'missing_auth*'] },
    },
    receiptsTo: 'receipts',
    receipts: {
      items: [],
      when: null,
      ...fields({ id: 'batch_id', status: 'status', code: 'code', at: 'at' }),
      message: null,
      states: {
        queued: null,
        dispatched: null,
        delivered: 'delivered',
        failed: 'undelivered',
        aborted: 'rejected',
        rejected: 'rejected',
        deleted: 'undelivered',
        expired: 'expired',
        cancelled: 'failed',
        unknown: null,
      },
    },
    inbound: {
      items: [],
      when: when('type = mo_text'),
      ...fields({ id: 'id', from: 'from', to: 'to', text: 'body', at: 'received_at' }),
      part: null,
    },
    verify: callbackSecret === undefined ? null : bySecretInPath(callbackSecret),
  }),
});
