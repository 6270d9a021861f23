import { Type } from '@sinclair/typebox';
import { parseQueryInCharset } from '../callbacks/charset-query.js';
import { condition, definePreset, field, fields, secret, text } from './preset.js';

/**
 * https://www.kannel.org/download/1.4.5/userguide-1.4.5/userguide.html, chapter 6 (sendsms), and "Delivery reports".
 * Kannel returns no message ID, so the report URL contains Heliograph's message ID.
 */
export const kannel = definePreset('kannel', 'Kannel (sendsms)', {
  help: 'The smsbox of Kannel 1.4 or later, with a sendsms-user. For inbound messages, create an sms-service with keyword = default, catch-all = true, max-messages = 0 and omit-empty = true, whose get-url is the URL for messages with ?id=%I&from=%p&to=%P&text=%b&charset=%C. Without max-messages = 0, Kannel answers each of them with an SMS. Set http-request-retry and http-queue-delay in the group smsbox, so that Kannel retries while this server is unavailable.',
  settings: {
    username: text('Name of the sendsms-user.'),
    password: secret('Password of that user.'),
    smscId: Type.Optional(text('smsc-id of the SMSC to send through. Left out: Kannel chooses.')),
    path: Type.String({
      pattern: '^/[^\\s?#]*$',
      default: '/cgi-bin/sendsms',
      description: 'Path of sendsms (sendsms-url).',
    }),
  },
  baseUrl: null,
  hasPathSecret: true,
  buildPlan: ({ baseUrl, path, username, password, smscId }) => ({
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
        // The mask requests reports for delivered (1), undelivered (2), and refused by the SMSC (16).
        'dlr-mask': '19',
        'dlr-url': '{receipt_url}&status=%d&answer=%A',
        ...(smscId !== undefined && { smsc: smscId }),
      },
    },
    encodings: { gsm7: '0', ucs2: '2' },
    answer: {
      // Kannel answers 202 with "0: Accepted for delivery" or "3: Queued for later delivery".
      success: condition(
        'status = 202 and text ~ /^[03]\\b/ or status = 200 and text ~ /^(0: Accepted|3: Queued|Sent\\.)/',
      ),
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
    // `%b` contains the octets of the message (UTF-16BE for UCS-2), in the charset that `%C` names.
    readQuery: (url) => parseQueryInCharset(url, 'text', 'charset'),
  }),
});
