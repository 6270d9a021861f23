import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { byVonage } from '../callbacks/signatures.js';
import { filesIn } from './mms.js';
import { condition, definePreset, field, fields, fromAnswer, secret, text } from './preset.js';

const FILE_TYPES = ['image', 'audio', 'video', 'file', 'vcard'] as const;

const TOKEN_SECONDS = 300;

/** https://developer.vonage.com/en/api/messages (v1). */
export const vonageMessages = definePreset('vonage-messages', 'Vonage, Messages API', {
  help: 'Use an application with the Messages capability and its private key. Enter the URL for messages as its inbound URL. Receipts are requested with each message.',
  settings: {
    applicationId: text('ID of the application.', { pattern: '^[0-9a-fA-F-]{36}$' }),
    privateKey: secret('Private key of the application (PEM), preferably as file:/path or env:NAME.', {
      maxLength: 10_000,
    }),
    signatureSecret: secret('Signature secret of the account. Vonage signs its reports with it.'),
  },
  baseUrl: 'https://api.nexmo.com',
  findProblems: ({ privateKey }) => (isKey(privateKey) ? [] : ['privateKey must be an RSA private key in PEM']),
  buildPlan: ({ baseUrl, applicationId, privateKey, signatureSecret }) => ({
    auth: { kind: 'signed', authorization: (now) => `Bearer ${createToken(applicationId, privateKey, now)}` },
    send: {
      method: 'POST',
      url: `${baseUrl}/v1/messages`,
      json: {
        message_type: 'text',
        channel: 'sms',
        from: '{from}',
        to: '{to}',
        text: '{text}',
        client_ref: '{id}',
        ttl: '{validity_seconds}',
        webhook_url: '{receipt_url}',
        webhook_version: 'v1',
        sms: { encoding_type: '{encoding}' },
      },
    },
    // Vonage's SMS API accepts a `ttl` of 20 to 604800 seconds.
    shortestValidity: 20,
    longestValidity: 604_800,
    encodings: { gsm7: 'text', ucs2: 'unicode' },
    answer: {
      success: condition('status = 202 and message_uuid exists'),
      id: fromAnswer('message_uuid'),
      // The error code is the last part of the `type` URL, e.g. …#1000.
      code: { pattern: /"type"\s*:\s*"[^"#]*#([\w-]{1,40})"/ },
      message: fromAnswer('detail', 'title'),
      meanings: {
        throttled: ['1000'],
        // 1030 is an internal error, and 1100 means that the message could not be forwarded.
        again: ['1030', '1100'],
        credit: ['1070', '1220', 'low-balance'],
        credentials: ['1060', 'unauthorized', 'forbidden'],
      },
    },
    receiptsTo: 'receipts',
    receipts: {
      when: condition('$.status exists'),
      ...fields({
        id: 'message_uuid',
        status: 'status',
        code: 'error.title',
        message: 'error.detail',
        at: 'timestamp',
      }),
      states: {
        submitted: null,
        delivered: 'delivered',
        read: 'read',
        rejected: 'rejected',
        undeliverable: 'undelivered',
      },
    },
    inbound: {
      when: condition('channel in (sms, mms) and not $.status exists'),
      ...fields({ id: 'message_uuid', from: 'from', to: 'to', at: 'timestamp' }),
      text: field('text', ...FILE_TYPES.map((type) => `${type}.caption`)),
      findFiles: (item) =>
        FILE_TYPES.flatMap((type) => filesIn(item, { list: type, url: 'url', name: 'name', kind: type })),
    },
    verify: byVonage(signatureSecret),
  }),
});

function createToken(applicationId: string, privateKey: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { application_id: applicationId, iat: seconds, exp: seconds + TOKEN_SECONDS, jti: randomUUID() };
  const signedText = `${encodePart({ alg: 'RS256', typ: 'JWT' })}.${encodePart(claims)}`;
  return `${signedText}.${sign('sha256', Buffer.from(signedText), privateKey).toString('base64url')}`;
}

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
