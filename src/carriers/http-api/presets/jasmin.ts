import { isUtf8 } from 'node:buffer';
import { type DefaultAlphabet, decodeText, findEncoding } from '../../sms/decoding.js';
import { numberAt, textAt } from './mms.js';
import { condition, definePreset, fields, fromAnswer, secret, text } from './preset.js';

/**
 * https://docs.jasminsms.com/en/latest/apis/ja-http/index.html. Jasmin repeats a call until the response is `ACK/Jasmin`.
 * Jasmin's reports come from the SMSC (`level` 1) or are about the phone (`level` 2 or 3).
 */
export const jasmin = definePreset('jasmin', 'Jasmin (/send)', {
  help: 'The HTTP API of a Jasmin SMS gateway, usually on port 1401. For inbound messages, create an HTTP client connector (httpccm) with the URL for messages and the method POST, and a MO route to it.',
  settings: { username: text('User name.'), password: secret('Password of that user.') },
  baseUrl: null,
  hasPathSecret: true,
  buildPlan: ({ baseUrl, username, password, publicUrl }) => ({
    auth: { kind: 'form', values: { username, password } },
    send: {
      method: 'POST',
      url: `${baseUrl}/send`,
      form: {
        to: '{to}',
        from: '{from}',
        // If the text were sent as `content`, Jasmin would not convert its encoding, regardless of the coding.
        'hex-content': '{hex}',
        coding: '{encoding}',
        'validity-period': '{validity_minutes}',
        dlr: publicUrl === undefined ? 'no' : 'yes',
        'dlr-level': '3',
        'dlr-method': 'POST',
        'dlr-url': '{receipt_url}',
      },
    },
    encodings: { gsm7: '0', ucs2: '8' },
    answer: {
      success: condition('status = 200 and text ~ /^Success/'),
      id: { pattern: /^Success\s+"([^"]+)"/ },
      // The pattern reads the error text, because different errors share an HTTP status.
      code: { pattern: /^Error\s+"([^"]+)"/ },
      message: null,
      meanings: {
        again: ['No route found*', 'Cannot send submit_sm*'],
        throttled: ['User throughput exceeded*'],
        credentials: ['Authentication failure*', 'Authorization failed*'],
        credit: ['Cannot charge*'],
      },
    },
    balance: {
      request: { method: 'GET', url: `${baseUrl}/balance`, query: { username, password } },
      amount: fromAnswer('balance'),
      currency: null,
    },
    receiptsTo: 'receipts',
    receipts: {
      when: condition('message_status exists'),
      ...fields({ id: 'id', status: 'message_status', code: 'err' }),
      // The plan has no `at`, because Jasmin's times have no time zone.
      states: {
        esme_rok: null,
        'esme_r*': 'rejected',
        acceptd: null,
        enroute: null,
        delivrd: 'delivered',
        undeliv: 'undelivered',
        deleted: 'undelivered',
        expired: 'expired',
        rejectd: 'rejected',
        unknown: 'failed',
        // The remaining patterns match nonstandard states of some SMSCs.
        'delivered*': 'delivered',
        'undel*': 'undelivered',
        'fail*': 'undelivered',
        'absent*': 'undelivered',
        'expir*': 'expired',
        'rej*': 'rejected',
        'dnd*': 'rejected',
        'ndnc*': 'rejected',
        'black*': 'rejected',
        'block*': 'rejected',
        'spam*': 'rejected',
        'accep*': null,
        'buffer*': null,
      },
    },
    inbound: {
      when: condition('not message_status exists'),
      ...fields({ id: 'id', from: 'from', to: 'to', text: 'content' }),
      // The text is decoded from `binary`, because Jasmin decodes `content` from these octets with a wrong charset, possibly
      // with losses.
      decode: (item) => {
        const [coding, binary] = [numberAt(item, 'coding') ?? 0, textAt(item, 'binary')];
        if (binary === null || !/^(?:[0-9a-f]{2})+$/i.test(binary)) return null;
        const octets = Buffer.from(binary, 'hex');
        const encoding = findEncoding(coding, detectDefaultAlphabet(octets));
        if (encoding === 'binary') return { body: octets.toString('base64'), isBinary: true };
        return { body: decodeText({ octets, encoding }) };
      },
    },
    callbackAnswer: 'ACK/Jasmin',
  }),
});

/** Octets above 0x7f show that the SMSC's default alphabet is not GSM 7-bit. */
function detectDefaultAlphabet(octets: Buffer): DefaultAlphabet {
  if (octets.every((octet) => octet < 0x80)) return 'gsm7';
  return isUtf8(octets) ? 'utf8' : 'latin1';
}
