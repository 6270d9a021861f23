import { byPlivo } from '../callbacks/signatures.js';
import { numberedFiles, textAt } from './mms.js';
import { COMMON_STATES, condition, definePreset, field, fields, fromAnswer, secret, text } from './preset.js';

/** https://www.plivo.com/docs/messaging/api/message; signature V3: "Validating requests". */
export const plivo = definePreset('plivo', 'Plivo', {
  help: 'Use the auth ID and its token; Plivo signs its reports with the token. For inbound messages, create an application whose message URL is the URL for messages.',
  repliesToKeywords: true,
  settings: {
    authId: text('Auth ID of the account.', { pattern: '^[A-Za-z0-9]{10,40}$' }),
    authToken: secret('Auth token of the account.'),
  },
  baseUrl: 'https://api.plivo.com',
  ratePerSecond: 5,
  buildPlan: ({ baseUrl, authId, authToken }) => ({
    auth: { kind: 'basic', username: authId, password: authToken },
    send: {
      method: 'POST',
      url: `${baseUrl}/v1/Account/${authId}/Message/`,
      json: { src: '{from_plus}', dst: '{to_plus}', text: '{text}', type: 'sms', url: '{receipt_url}', method: 'POST' },
    },
    answer: {
      success: condition('status in (200, 201, 202) and message_uuid[0] exists'),
      id: fromAnswer('message_uuid[0]'),
      code: null,
      message: fromAnswer('error'),
      meanings: {},
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/v1/Account/${authId}/` },
      amount: fromAnswer('cash_credits'),
      currency: null,
    },
    receiptsTo: 'receipts',
    receipts: {
      // Plivo reports each part under its own ID, and the first part's ID is also the message's ID.
      id: field('ParentMessageUUID', 'MessageUUID'),
      readPart: (item) => {
        const [, total] = /^\s*\d+\s+of\s+(\d+)\s*$/i.exec(textAt(item, 'PartInfo') ?? '') ?? [];
        return total === undefined || Number(total) < 2
          ? null
          : { key: textAt(item, 'MessageUUID') ?? String(textAt(item, 'PartInfo')), total: Number(total) };
      },
      ...fields({ status: 'Status', code: 'ErrorCode' }),
      states: {
        ...COMMON_STATES,
        rejected: 'rejected',
      },
    },
    inbound: {
      ...fields({ id: 'MessageUUID', from: 'From', to: 'To', text: 'Text' }),
      findFiles: (item) => numberedFiles(item, { count: 'MediaCount', url: 'Media', mimeType: 'MediaContentType' }),
    },
    verify: byPlivo(authToken),
  }),
});
