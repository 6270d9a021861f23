import { decodeEscaped } from '../callbacks/charset-query.js';
import { textAt } from './mms.js';
import { condition, definePreset, fields, fromAnswer, secret } from './preset.js';

/** https://docs.clickatell.com/channels/sms-channels/sms-api-reference (Platform API). Callbacks are not signed. */
export const clickatell = definePreset('clickatell', 'Clickatell (Platform)', {
  help: 'Create an HTTP API integration of the Platform. Enter the URLs for receipts and messages as its callback URLs, with POST.',
  settings: { apiKey: secret('API key of the integration.') },
  baseUrl: 'https://platform.clickatell.com',
  hasPathSecret: true,
  buildPlan: ({ baseUrl, apiKey }) => ({
    auth: { kind: 'header', name: 'authorization', value: apiKey },
    send: {
      method: 'POST',
      url: `${baseUrl}/messages`,
      json: {
        content: '{text}',
        to: ['{to}'],
        from: '{from}',
        charset: '{encoding}',
        clientMessageId: '{id}',
        validityPeriod: '{validity_minutes}',
      },
    },
    encodings: { gsm7: 'UTF-8', ucs2: 'UTF-8' },
    longestValidity: 86_400,
    answer: {
      success: condition('status = 2xx and messages[0].accepted = true'),
      id: fromAnswer('messages[0].apiMessageId'),
      code: fromAnswer('messages[0].error.code', 'messages[0].errorCode', 'errorCode'),
      message: fromAnswer(
        'messages[0].error.description',
        'messages[0].errorDescription',
        'messages[0].error',
        'errorDescription',
        'error',
      ),
      meanings: {
        credit: ['301', '12'],
        credentials: ['001', '108', '607'],
        throttled: ['429'],
        again: ['901', '902'],
      },
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/public-client/balance` },
      amount: fromAnswer('balance'),
      currency: fromAnswer('currency'),
    },
    receipts: {
      when: condition('statusCode exists'),
      ...fields({
        id: 'messageId',
        status: 'statusCode',
        code: 'statusCode',
        message: 'statusDescription',
        at: 'timestamp',
      }),
      // https://docs.clickatell.com/channels/sms-channels/sms-api-reference/#section/Message-status-codes
      states: {
        1: 'failed',
        2: null,
        3: null,
        4: 'delivered',
        5: 'failed',
        6: 'failed',
        7: 'undelivered',
        8: null,
        9: 'failed',
        10: 'expired',
        11: null,
        12: 'failed',
        14: 'failed',
      },
    },
    inbound: {
      when: condition('fromNumber exists'),
      ...fields({ id: 'messageId', from: 'fromNumber', to: 'toNumber', text: 'text', at: 'timestamp' }),
      decode: (item) => {
        const [text, charset] = [textAt(item, 'text'), textAt(item, 'charset')];
        const body = text === null || charset === null ? null : decodeEscaped(text, charset);
        return body === null ? null : { body };
      },
    },
  }),
});
