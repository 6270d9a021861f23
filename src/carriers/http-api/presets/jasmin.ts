import { isUtf8 } from 'node:buffer';
import { type DefaultAlphabet, decodeText, encodingFor } from '../../sms/decoding.js';
import { numberAt, textAt } from './mms.js';
import { at, definePreset, fields, secret, text, when } from './preset.js';

/**
 * https://docs.jasminsms.com/en/latest/apis/ja-http/index.html. Jasmin reports on the SMSC (`level` 1) and on the telephone (2,
 * 3), and calls again until it is answered `ACK/Jasmin`.
 */
export const jasmin = definePreset('jasmin', 'Jasmin (/send)', {
  help: 'The HTTP API of a Jasmin SMS gateway, mostly at port 1401. For messages that come in, make an HTTP client connector (httpccm) with the address for messages, method POST, and a MO route to it.',
  settings: { username: text('Name of the user.'), password: secret('Its password.') },
  baseUrl: null,
  hasPathSecret: true,
  plan: ({ baseUrl, username, password, publicUrl }) => ({
    auth: { kind: 'form', values: { username, password } },
    send: {
      method: 'POST',
      url: `${baseUrl}/send`,
      form: {
        to: '{to}',
        from: '{from}',
        // As octets of the coding: `content` would be taken as it is, whatever the coding.
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
      success: when('status = 200 and text ~ /^Success/'),
      id: { pattern: /^Success\s+"([^"]+)"/ },
      // Its words are all that tells apart what has one status.
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
      amount: at('balance'),
      currency: null,
    },
    receiptsTo: 'receipts',
    receipts: {
      when: when('message_status exists'),
      ...fields({ id: 'id', status: 'message_status', code: 'err' }),
      // Its times have no zone.
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
        // Jasmin passes on the word of its SMSC, which may be one of its own.
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
      when: when('not message_status exists'),
      ...fields({ id: 'id', from: 'from', to: 'to', text: 'content' }),
      // `content` is these octets read as some text, and may have lost some.
      decode: (item) => {
        const [coding, binary] = [numberAt(item, 'coding') ?? 0, textAt(item, 'binary')];
        if (binary === null || !/^(?:[0-9a-f]{2})+$/i.test(binary)) return null;
        const octets = Buffer.from(binary, 'hex');
        const encoding = encodingFor(coding, defaultAlphabetOf(octets));
        if (encoding === 'binary') return { body: octets.toString('base64'), isBinary: true };
        return { body: decodeText({ octets, encoding }) };
      },
    },
    callbackAnswer: 'ACK/Jasmin',
  }),
});

/** Jasmin passes on what its SMSC sends. Octets of 8 bits are no GSM 7-bit: the SMSC has another default alphabet. */
function defaultAlphabetOf(octets: Buffer): DefaultAlphabet {
  if (octets.every((octet) => octet < 0x80)) return 'gsm7';
  return isUtf8(octets) ? 'utf8' : 'latin1';
}
