import { byMessageBird } from '../callbacks/signatures.js';
import { textAt, urlsAt } from './mms.js';
import { condition, definePreset, field, fromAnswer, secret } from './preset.js';

/** https://developers.messagebird.com/api/sms-messaging; signature: "Verifying HTTP requests". */
export const messagebird = definePreset('messagebird', 'Bird (MessageBird)', {
  help: 'Use an access key of the SMS API and the signing key of the account. Enter the URL for messages at the number, as a flow that calls a URL.',
  settings: {
    accessKey: secret('Live access key.'),
    signingKey: secret('Signing key of the account. Bird signs its reports with it.'),
  },
  baseUrl: 'https://rest.messagebird.com',
  buildPlan: ({ baseUrl, accessKey, signingKey }) => ({
    auth: { kind: 'header', name: 'authorization', value: `AccessKey ${accessKey}` },
    send: {
      method: 'POST',
      url: `${baseUrl}/messages`,
      json: {
        recipients: ['{to}'],
        originator: '{from}',
        body: '{text}',
        datacoding: '{encoding}',
        validity: '{validity_seconds}',
        // Bird sends no reports for a message without a reference.
        reference: '{id}',
        reportUrl: '{receipt_url}',
      },
    },
    encodings: { gsm7: 'plain', ucs2: 'unicode' },
    answer: {
      success: condition('status = 2xx and id exists'),
      id: fromAnswer('id'),
      code: fromAnswer('errors[0].code'),
      message: fromAnswer('errors[0].description'),
      meanings: { credentials: ['2'], credit: ['25'], again: ['98', '99'] },
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/balance` },
      amount: fromAnswer('amount'),
      currency: fromAnswer('type'),
    },
    receiptsTo: 'receipts',
    receipts: {
      when: condition('$.status exists'),
      id: field('?id'),
      status: field('?status'),
      code: field('?statusErrorCode'),
      message: field('?statusReason'),
      at: field('?statusDatetime'),
      states: {
        scheduled: null,
        sent: null,
        buffered: null,
        delivered: 'delivered',
        expired: 'expired',
        delivery_failed: 'undelivered',
      },
    },
    inbound: {
      when: condition('not $.status exists'),
      // Webhooks of numbers and of short codes use different field names.
      id: field('id', 'mid', 'message_id', '?id', '?mid', '?message_id'),
      from: field('originator', 'sender', '?originator', '?sender'),
      to: field('recipient', 'receiver', 'shortcode', '?recipient', '?receiver', '?shortcode'),
      text: field('body', 'message', 'payload', '?body', '?message', '?payload'),
      at: field('createdDatetime', 'receive_datetime', '?createdDatetime', '?receive_datetime'),
      findFiles: (item) =>
        urlsAt(item, 'mediaURLs').map((url, index) => ({ url, mimeType: textAt(item, `mediaContentTypes[${index}]`) })),
    },
    verify: byMessageBird(signingKey),
  }),
});
