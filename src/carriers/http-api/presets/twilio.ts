import { Type } from '@sinclair/typebox';
import { byTwilio } from '../callbacks/signatures.js';
import { numberedFiles } from './mms.js';
import { COMMON_STATES, condition, definePreset, fields, fromAnswer, secret, text } from './preset.js';

/** https://www.twilio.com/docs/messaging/api/message-resource (2010-04-01); signature: "Security". */
export const twilio = definePreset('twilio', 'Twilio', {
  help: 'Use the Account SID and its auth token; Twilio signs its reports with the token. To send with an API key instead, add it as well. Enter the URL for messages at each number or messaging service.',
  repliesToKeywords: true,
  settings: {
    accountSid: text('Account SID.', { pattern: '^AC[0-9a-fA-F]{32}$' }),
    authToken: secret('Auth token of the account. Twilio signs its reports with it.'),
    apiKeySid: Type.Optional(text('SID of an API key to send with, instead of the auth token.')),
    apiKeySecret: Type.Optional(secret('Secret of that API key.')),
    messagingServiceSid: Type.Optional(
      text('SID of a messaging service that chooses the sender. Left out: the sender ID of each message.', {
        pattern: '^MG[0-9a-fA-F]{32}$',
      }),
    ),
  },
  baseUrl: 'https://api.twilio.com',
  findProblems: ({ apiKeySid, apiKeySecret }) =>
    (apiKeySid === undefined) === (apiKeySecret === undefined)
      ? []
      : ['apiKeySid and apiKeySecret must be set together'],
  buildPlan: ({ baseUrl, accountSid, authToken, apiKeySid, apiKeySecret, messagingServiceSid }) => {
    const account = `${baseUrl}/2010-04-01/Accounts/${accountSid}`;
    return {
      auth: { kind: 'basic', username: apiKeySid ?? accountSid, password: apiKeySecret ?? authToken },
      send: {
        method: 'POST',
        url: `${account}/Messages.json`,
        form: {
          To: '{to_plus}',
          ...(messagingServiceSid === undefined
            ? { From: '{from_plus}' }
            : { MessagingServiceSid: messagingServiceSid }),
          Body: '{text}',
          StatusCallback: '{receipt_url}',
          ValidityPeriod: '{validity_seconds}',
        },
      },
      // ValidityPeriod: 1 to 36000.
      longestValidity: 36_000,
      answer: {
        success: condition('status = 2xx and sid exists'),
        id: fromAnswer('sid'),
        code: fromAnswer('code'),
        message: fromAnswer('message'),
        meanings: {
          throttled: ['20429', '14107', '30022', '63017', '63018', '63038'],
          // 21611 and 30001 mean that the sender's queue is full.
          again: ['20500', '20503', '21611', '30001'],
          credit: ['20005', '30002', '30046'],
          credentials: ['20003', '20004', '20006', '20008', '20403'],
        },
      },
      balance: {
        request: { method: 'GET', url: `${account}/Balance.json` },
        amount: fromAnswer('balance'),
        currency: fromAnswer('currency'),
      },
      receiptsTo: 'receipts',
      receipts: {
        when: condition('MessageStatus exists'),
        ...fields({ id: 'MessageSid', status: 'MessageStatus', code: 'ErrorCode', message: 'ErrorMessage' }),
        states: {
          ...COMMON_STATES,
          accepted: null,
          scheduled: null,
          sending: null,
          canceled: 'failed',
        },
      },
      inbound: {
        when: condition('not MessageStatus exists'),
        ...fields({ id: 'MessageSid', from: 'From', to: 'To', text: 'Body' }),
        findFiles: (item) => numberedFiles(item, { count: 'NumMedia', url: 'MediaUrl', mimeType: 'MediaContentType' }),
      },
      verify: byTwilio(authToken),
      // The response is empty TwiML, because Twilio would send a plain-text response to the contact as a reply.
      callbackAnswer: '<Response></Response>',
      callbackAnswerType: 'text/xml; charset=utf-8',
    };
  },
});
