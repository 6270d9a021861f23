import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { byVonage } from '../callbacks/signatures.js';
import { filesIn } from './mms.js';
import { at, definePreset, field, fields, secret, text, when } from './preset.js';

/** Types of messages that bring a file. */
const FILE_TYPES = ['image', 'audio', 'video', 'file', 'vcard'] as const;

/** How long a token is good, in seconds. */
const TOKEN_SECONDS = 300;

/** https://developer.vonage.com/en/api/messages (v1), with a JSON Web Token of the application (RS256). */
export const vonageMessages = definePreset('vonage-messages', 'Vonage, Messages API', {
  help: 'An application with the capability Messages and its private key. Enter the address for messages as its inbound URL; receipts are asked for with each message.',
  settings: {
    applicationId: text('Id of the application.', { pattern: '^[0-9a-fA-F-]{36}$' }),
    privateKey: secret('Its private key, PEM; best as file:/path or env:NAME.', { maxLength: 10_000 }),
    signatureSecret: secret('Signature secret of the account, by which Vonage signs what it reports.'),
  },
  baseUrl: 'https://api.nexmo.com',
  problems: ({ privateKey }) => (isKey(privateKey) ? [] : ['privateKey must be an RSA private key in PEM']),
  plan: ({ baseUrl, applicationId, privateKey, signatureSecret }) => ({
    auth: { kind: 'signed', authorization: (now) => `Bearer ${tokenOf(applicationId, privateKey, now)}` },
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
    // ttl: 20 to 604800 seconds, as of the platform's SMS API.
    shortestValidity: 20,
    longestValidity: 604_800,
    encodings: { gsm7: 'text', ucs2: 'unicode' },
    answer: {
      success: when('status = 202 and message_uuid exists'),
      id: at('message_uuid'),
      // The last part of `type`, such as …#1000.
      code: { pattern: /"type"\s*:\s*"[^"#]*#([\w-]{1,40})"/ },
      message: at('detail', 'title'),
      meanings: {
        throttled: ['1000'],
        // An error of the platform, and one that could not hand the message on.
        again: ['1030', '1100'],
        credit: ['1070', '1220', 'low-balance'],
        credentials: ['1060', 'unauthorized', 'forbidden'],
      },
    },
    receiptsTo: 'receipts',
    receipts: {
      when: when('$.status exists'),
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
      when: when('channel in (sms, mms) and not $.status exists'),
      ...fields({ id: 'message_uuid', from: 'from', to: 'to', at: 'timestamp' }),
      text: field('text', ...FILE_TYPES.map((type) => `${type}.caption`)),
      files: (item) =>
        FILE_TYPES.flatMap((type) => filesIn(item, { list: type, url: 'url', name: 'name', kind: type })),
    },
    verify: byVonage(signatureSecret),
  }),
});

function tokenOf(applicationId: string, privateKey: string, now: Date): string {
  const seconds = Math.floor(now.getTime() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { application_id: applicationId, iat: seconds, exp: seconds + TOKEN_SECONDS, jti: randomUUID() };
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}

function isKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}
