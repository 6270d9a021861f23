import { Type } from '@sinclair/typebox';
import { byVonageSms } from '../callbacks/signatures.js';
import { textAt } from './mms.js';
import { condition, definePreset, fields, fromAnswer, secret, text } from './preset.js';

/** https://developer.vonage.com/en/api/sms; signature: "Signing messages". Each part has its own ID and report. */
export const vonage = definePreset('vonage', 'Vonage, SMS API', {
  help: 'Receipts are requested with each message. Enter the URL for messages as the inbound webhook of the number, with POST or GET. If you set a signature secret, choose SHA-256 HMAC as the signature method of the account.',
  settings: {
    apiKey: text('API key of the account.'),
    apiSecret: secret('API secret of the account.'),
    signatureSecret: Type.Optional(secret('Signature secret of the account. If set, reports must be signed with it.')),
  },
  baseUrl: 'https://rest.nexmo.com',
  hasPathSecret: true,
  ratePerSecond: 30,
  buildPlan: ({ baseUrl, apiKey, apiSecret, signatureSecret }) => ({
    auth: { kind: 'form', values: { api_key: apiKey, api_secret: apiSecret } },
    send: {
      method: 'POST',
      url: `${baseUrl}/sms/json`,
      form: {
        from: '{from}',
        to: '{to}',
        text: '{text}',
        type: '{encoding}',
        'client-ref': '{id}',
        callback: '{receipt_url}',
        ttl: '{validity_seconds}000',
      },
    },
    // The SMS API accepts a `ttl` of 20000 to 604800000 milliseconds.
    shortestValidity: 20,
    encodings: { gsm7: 'text', ucs2: 'unicode' },
    answer: {
      success: condition('status = 2xx and messages[0].status = 0'),
      id: fromAnswer('messages[0].message-id'),
      parts: {
        items: ['messages'],
        id: ['message-id'],
        status: ['status'],
        acceptedStatus: '0',
        message: ['error-text'],
      },
      code: fromAnswer('messages[0].status'),
      message: fromAnswer('messages[0].error-text'),
      meanings: {
        throttled: ['1', '10'],
        again: ['5'],
        credit: ['9'],
        credentials: ['4', '8', '14', '32'],
      },
    },
    balance: {
      request: {
        method: 'GET',
        url: `${baseUrl}/account/get-balance`,
        query: { api_key: apiKey, api_secret: apiSecret },
      },
      amount: fromAnswer('value'),
      currency: null,
    },
    receiptsTo: 'receipts',
    receipts: {
      when: condition('$.status exists'),
      ...fields({ id: 'messageId', status: 'status', code: 'err-code', at: 'message-timestamp' }),
      states: {
        accepted: null,
        buffered: null,
        submitted: null,
        delivered: 'delivered',
        expired: 'expired',
        failed: 'undelivered',
        rejected: 'rejected',
        unknown: 'failed',
        deleted: 'failed',
      },
    },
    inbound: {
      when: condition('not $.status exists'),
      ...fields({ id: 'messageId', from: 'msisdn', to: 'to', text: 'text', at: 'message-timestamp' }),
      decode: (item) =>
        textAt(item, 'type') === 'binary'
          ? { body: Buffer.from(textAt(item, 'data') ?? '', 'hex').toString('base64'), isBinary: true }
          : null,
      part: fields({ reference: 'concat-ref', total: 'concat-total', number: 'concat-part' }),
    },
    verify: signatureSecret === undefined ? null : byVonageSms(signatureSecret),
  }),
});
