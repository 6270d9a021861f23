import { Type } from '@sinclair/typebox';
import { queryInCharset } from '../callbacks/charset-query.js';
import { definePreset, field, fields, secret, text, when } from './preset.js';

/**
 * https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html, chapter 6 (sendsms), and "Delivery reports". Kannel's
 * answer has no id, so the address for the report holds ours.
 */
export const kannel = definePreset('kannel', 'Kannel (sendsms)', {
  help: 'A smsbox of Kannel 1.4 or later, with a sendsms-user. For messages that come in, make a sms-service with keyword = default, catch-all = true, max-messages = 0 and omit-empty = true whose get-url is the address for messages with ?id=%I&from=%p&to=%P&text=%b&charset=%C: without max-messages = 0 Kannel answers each of them with an SMS. Set http-request-retry and http-queue-delay in the group smsbox, so that it asks again while this server is away.',
  settings: {
    username: text('Name of the sendsms-user.'),
    password: secret('Its password.'),
    smscId: Type.Optional(text('smsc-id that messages are to leave by; left out: as Kannel routes them.')),
    path: Type.String({
      pattern: '^/[^\\s?#]*$',
      default: '/cgi-bin/sendsms',
      description: 'Path of sendsms (sendsms-url).',
    }),
  },
  baseUrl: null,
  hasPathSecret: true,
  plan: ({ baseUrl, path, username, password, smscId }) => ({
    ids: 'attempts',
    auth: { kind: 'query', values: { username, password } },
    send: {
      method: 'GET',
      url: `${baseUrl}${path}`,
      query: {
        to: '{to_plus}',
        from: '{from_plus}',
        text: '{text}',
        charset: 'UTF-8',
        coding: '{encoding}',
        validity: '{validity_minutes}',
        // 1 delivered, 2 not delivered, 16 refused by the SMSC.
        'dlr-mask': '19',
        // Kannel fills in what follows a percent sign: the kind of report, and the words of the SMSC.
        'dlr-url': '{receipt_url}&status=%d&answer=%A',
        ...(smscId !== undefined && { smsc: smscId }),
      },
    },
    encodings: { gsm7: '0', ucs2: '2' },
    answer: {
      // 202: "0: Accepted for delivery", or "3: Queued for later delivery".
      success: when('status = 202 and text ~ /^[03]\\b/ or status = 200 and text ~ /^(0: Accepted|3: Queued|Sent\\.)/'),
      id: null,
      code: null,
      message: { pattern: /^\s*([^\r\n<]{1,200})/ },
      meanings: { again: ['HTTP_503'], credentials: ['HTTP_401', 'HTTP_403'] },
    },
    receiptsTo: 'receipts',
    receipts: {
      id: field('?message'),
      status: field('?status'),
      message: field('?answer'),
      states: { 1: 'delivered', 2: 'undelivered', 4: null, 8: null, 16: 'rejected', 34: 'expired', 66: 'undelivered' },
    },
    inbound: {
      ...fields({ id: '?id', from: '?from', to: '?to', text: '?text' }),
    },
    // %b is the octets of the message, of UCS-2 as UTF-16BE, and %C says so.
    readQuery: (url) => queryInCharset(url, 'text', 'charset'),
  }),
});
