import { condition, definePreset, field, fields, fromAnswer, secret, text } from './preset.js';

/** https://developers.africastalking.com/docs/sms. Callbacks are not signed. */
export const africastalking = definePreset('africastalking', "Africa's Talking", {
  help: 'Enter the URL for receipts as the SMS delivery report callback, and the URL for messages as the callback of your short code. For the sandbox, use https://api.sandbox.africastalking.com and the user name sandbox.',
  settings: { username: text('User name of the application.'), apiKey: secret('API key of the application.') },
  baseUrl: 'https://api.africastalking.com',
  hasPathSecret: true,
  buildPlan: ({ baseUrl, username, apiKey }) => ({
    auth: { kind: 'header', name: 'apikey', value: apiKey },
    send: {
      method: 'POST',
      url: `${baseUrl}/version1/messaging`,
      form: { username, to: '{to_plus}', from: '{from}', message: '{text}' },
    },
    answer: {
      // The status code 100 means processed, 101 sent and 102 queued. Older responses lack the code.
      success: condition(
        'status = 2xx and (SMSMessageData.Recipients[0].statusCode in (100, 101, 102) or not SMSMessageData.Recipients[0].statusCode exists and SMSMessageData.Recipients[0].status = Success)',
      ),
      id: fromAnswer('SMSMessageData.Recipients[0].messageId'),
      code: fromAnswer('SMSMessageData.Recipients[0].statusCode', 'SMSMessageData.Message'),
      message: fromAnswer('SMSMessageData.Recipients[0].status', 'SMSMessageData.Message'),
      cases: [
        {
          // If the text is "Sent to 1/1 Total Cost: KES 0.8000" without a recipient, the message may have been sent.
          when: condition(
            'status = 2xx and not SMSMessageData.Recipients[0].statusCode exists and SMSMessageData.Message ~ /^Sent to [1-9]/',
          ),
          meaning: 'lost',
        },
      ],
      meanings: { credit: ['405'], again: ['500', '501'] },
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/version1/user`, query: { username } },
      amount: fromAnswer('UserData.balance'),
      currency: null,
    },
    receipts: {
      when: condition('$.status exists'),
      id: field('id'),
      status: field('status'),
      code: field('failureReason'),
      message: field('failureReason'),
      states: {
        sent: null,
        submitted: null,
        buffered: null,
        success: 'delivered',
        rejected: 'rejected',
        failed: 'undelivered',
        absentsubscriber: 'undelivered',
        expired: 'expired',
      },
    },
    inbound: {
      when: condition('from exists'),
      ...fields({ id: 'id', from: 'from', to: 'to', text: 'text', at: 'date' }),
    },
  }),
});
