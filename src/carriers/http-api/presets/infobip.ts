import { filesIn, listAt, textAt } from './mms.js';
import { condition, definePreset, field, fields, fromAnswer, secret } from './preset.js';

/** https://www.infobip.com/docs/api/channels/sms (`/sms/3/messages`). Reports are not signed. */
export const infobip = definePreset('infobip', 'Infobip', {
  help: 'baseUrl is the URL of your account, e.g. https://xyz123.api.infobip.com. For inbound messages, forward the number to the URL for messages.',
  settings: { apiKey: secret('API key with the scope for sending SMS.') },
  baseUrl: null,
  hasPathSecret: true,
  buildPlan: ({ baseUrl, apiKey }) => ({
    auth: { kind: 'header', name: 'authorization', value: `App ${apiKey}` },
    send: {
      method: 'POST',
      url: `${baseUrl}/sms/3/messages`,
      json: {
        messages: [
          {
            sender: '{from}',
            destinations: [{ to: '{to}', messageId: '{attempt_id}' }],
            content: { text: '{text}' },
            options: { validityPeriod: { amount: '{validity_seconds}', timeUnit: 'SECONDS' } },
            webhooks: { delivery: { url: '{receipt_url}' } },
          },
        ],
      },
    },
    longestValidity: 2 * 86_400,
    fileHosts: /(^|\.)infobip\.com$/,
    answer: {
      success: condition(
        'status = 2xx and (messages[0].status.groupName in (PENDING, ACCEPTED, DELIVERED) or messages[0].status.name ~ /^(PENDING|MESSAGE_ACCEPTED|DELIVERED)/)',
      ),
      id: fromAnswer('messages[0].messageId'),
      code: fromAnswer('messages[0].status.name', 'errorCode', 'requestError.serviceException.messageId'),
      message: fromAnswer('messages[0].status.description', 'description', 'requestError.serviceException.text'),
      meanings: {
        credit: ['REJECTED_NOT_ENOUGH_CREDITS', 'REJECTED_PREPAID_PACKAGE_EXPIRED'],
        credentials: ['UNAUTHORIZED', 'FORBIDDEN', 'E401', 'E403', 'REJECTED_ACCOUNT_*'],
        throttled: ['TOO_MANY_REQUESTS', 'E429'],
        again: ['REJECTED_SYSTEM_ERROR', 'REJECTED_NETWORK_OVERLOAD*'],
      },
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/account/1/balance` },
      amount: fromAnswer('balance'),
      currency: fromAnswer('currency'),
    },
    receiptsTo: 'receipts',
    receipts: {
      items: ['results'],
      when: condition('$.status exists'),
      id: field('messageId'),
      status: field('status.groupName'),
      code: field('error.name', 'status.name'),
      message: field('error.description', 'status.description'),
      at: field('doneAt'),
      states: {
        accepted: null,
        pending: null,
        delivered: 'delivered',
        undeliverable: 'undelivered',
        expired: 'expired',
        rejected: 'rejected',
      },
    },
    inbound: {
      items: ['results'],
      when: condition('not $.status exists'),
      ...fields({ id: 'messageId', from: 'from', to: 'to', at: 'receivedAt' }),
      text: field('text', 'message.text', 'message'),
      // An MMS is reported as a list of texts and files (MO_MMS_2).
      decode: (item) => {
        const texts = listAt(item, 'message').flatMap((part) => textAt(part, 'value') ?? textAt(part, 'text') ?? []);
        return texts.length === 0 ? null : { body: texts.join('\n') };
      },
      findFiles: (item) => filesIn(item, { list: 'message', url: 'url', mimeType: 'contentType' }),
    },
  }),
});
