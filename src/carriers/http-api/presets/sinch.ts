import { filesIn, textAt } from './mms.js';
import { condition, definePreset, field, fields, fromAnswer, secret, text } from './preset.js';

/** https://developers.sinch.com/docs/sms/api-reference (XMS batches). Callbacks are not signed. */
export const sinch = definePreset('sinch', 'Sinch (XMS)', {
  help: 'baseUrl depends on the region, e.g. https://eu.sms.api.sinch.com. Enter the URL for messages as the callback URL of the service plan. Receipts are requested with each message.',
  settings: {
    servicePlanId: text('ID of the service plan.', { pattern: '^[A-Za-z0-9_-]+$' }),
    apiToken: secret('API token of the service plan.'),
  },
  baseUrl: 'https://us.sms.api.sinch.com',
  hasPathSecret: true,
  buildPlan: ({ baseUrl, servicePlanId, apiToken, publicUrl }) => ({
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
      success: condition('status = 2xx and id exists'),
      id: fromAnswer('id'),
      code: fromAnswer('code'),
      message: fromAnswer('text'),
      meanings: { credentials: ['unauthorized', 'missing_auth*'] },
    },
    receiptsTo: 'receipts',
    receipts: {
      when: condition('batch_id exists'),
      ...fields({ id: 'batch_id', at: 'at' }),
      // Summary reports contain a list of statuses, but each batch has only one recipient.
      status: field('status', 'statuses[0].status'),
      code: field('code', 'statuses[0].code'),
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
      when: condition('type in (mo_text, mo_binary, mo_media)'),
      ...fields({ id: 'id', from: 'from', to: 'to', at: 'received_at' }),
      text: field('body', 'body.message', 'body.subject'),
      decode: (item) =>
        textAt(item, 'type') === 'mo_binary' ? { body: textAt(item, 'body') ?? '', isBinary: true } : null,
      findFiles: (item) => filesIn(item, { list: 'body.media', url: 'url', mimeType: 'content_type' }),
    },
  }),
});
