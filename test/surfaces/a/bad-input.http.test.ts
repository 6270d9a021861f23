import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestAccount } from '../../support/accounts.js';
import { forSuite } from '../../support/for-suite.js';
import { sharedApp } from '../../support/suite.js';
import { expectErrorV1, expectErrorV2, NUMBER, post, readAccountState } from './requests.js';

const SEND = { from: 'Heliograph', to: NUMBER, message: 'Hello' };
const JSON_TYPE = { 'content-type': 'application/json' };

const text = (body: object) => JSON.stringify(body);
const withMessage = (literal: string) => text({ ...SEND, message: '@' }).replace('"@"', literal);

/** Requests that both API versions refuse: name, body, status, pattern of the error message, headers. */
const REFUSED: readonly (readonly [string, string | Buffer, number, RegExp, Record<string, string>?])[] = [
  ['malformed JSON', '{"from":', 400, /not valid JSON/],
  ['JSON with a trailing comma', '{"from":"a",}', 400, /not valid JSON/],
  ['no body', '', 400, /JSON object/],
  ['null', 'null', 400, /JSON object/],
  ['an array', '[]', 400, /JSON object/],
  ['a string', '"x"', 400, /JSON object/],
  ['a number', '1', 400, /JSON object/],
  ['an empty object', '{}', 400, /from is required/],
  ['wrong types', text({ from: 1, to: 2, message: 3 }), 400, /from must/],
  ['null fields', text({ from: null, to: null, message: null }), 400, /from must/],
  ['empty fields', text({ from: '', to: '', message: '' }), 400, /(from|to) must/],
  ['an oversized from', text({ ...SEND, from: 'x'.repeat(19) }), 400, /from must/],
  ['an oversized message', text({ ...SEND, message: 'x'.repeat(1601) }), 400, /message must/],
  ['a number with letters', text({ ...SEND, to: '1500555x111' }), 400, /to .*phone number/],
  ['another media type', text(SEND), 415, /application\/json/, { 'content-type': 'text/plain' }],
  ['a form', 'from=a', 415, /application\/json/, { 'content-type': 'application/x-www-form-urlencoded' }],
  ['a malformed media type', text(SEND), 415, /application\/json/, { 'content-type': 'json' }],
  ['a compressed body', gzipSync(text(SEND)), 415, /compressed/, { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  [
    'a Content-Encoding that does not match the body',
    text(SEND),
    415,
    /compressed/,
    { 'content-encoding': 'identity, br' },
  ],
  ['a body of 2 MiB', text({ ...SEND, message: 'x'.repeat(2 ** 21) }), 413, /too large/],
  ['an escaped NUL character in a string', withMessage('"a\\u0000b"'), 400, /^message must not contain NUL/],
  ['an unescaped NUL character', withMessage('"a\u0000b"'), 400, /not valid JSON/],
  ['a lone high surrogate', withMessage('"a\\ud83d"'), 400, /^message must not contain/],
  ['a lone low surrogate', withMessage('"\\ude00a"'), 400, /^message must not contain/],
  ['surrogates in the wrong order', withMessage('"\\ude00\\ud83d"'), 400, /^message must not contain/],
  [
    'a NUL character in a nested value',
    `{"x":{"y":["a","\\u0000"]},${text(SEND).slice(1)}`,
    400,
    /^x\.y\[1\] must not/,
  ],
  ['a NUL character in a key', `{"x":{"a\\u0000":1},${text(SEND).slice(1)}`, 400, /^x has a key/],
  ['bytes that are not UTF-8', Buffer.from(text(SEND).replace('Hello', 'H\xffllo'), 'latin1'), 400, /UTF-8/],
  ['UTF-16', Buffer.from(text(SEND), 'utf16le'), 400, /not valid/],
  ['__proto__', `{"__proto__":{"from":"x"},${text(SEND).slice(1)}`, 400, /__proto__/],
  ['a nested __proto__', `{"x":[{"__proto__":1}],${text(SEND).slice(1)}`, 400, /__proto__/],
  ['constructor.prototype', `{"constructor":{"prototype":{}},${text(SEND).slice(1)}`, 400, /constructor/],
  ['200,000 levels of nesting', `{"x":${'['.repeat(2e5)}${']'.repeat(2e5)},${text(SEND).slice(1)}`, 400, /nested/],
  ['an empty Idempotency-Key', text(SEND), 400, /Idempotency-Key must/, { 'idempotency-key': '' }],
  ['a long Idempotency-Key', text(SEND), 400, /Idempotency-Key must/, { 'idempotency-key': 'x'.repeat(256) }],
  [
    'a control character in the Idempotency-Key',
    text(SEND),
    400,
    /Idempotency-Key must/,
    { 'idempotency-key': 'a\tb' },
  ],
];

const VERSION_2: typeof REFUSED = [
  ['priority 4', text({ ...SEND, priority: 4 }), 400, /^priority must be an integer from 0 to 3$/],
  ['priority "1"', text({ ...SEND, priority: '1' }), 400, /^priority must be an integer from 0 to 3$/],
  ['priority 1.5', text({ ...SEND, priority: 1.5 }), 400, /^priority must be an integer from 0 to 3$/],
  ['channel "SMS"', text({ ...SEND, channel: 'SMS' }), 400, /^channel must be sms or whatsapp$/],
  [
    'template_data without template_id or media_url',
    text({ ...SEND, template_data: { name: 'x' } }),
    400,
    /^template_data must be sent together/,
  ],
  [
    'a media_url that is not a URL',
    text({ ...SEND, media_url: 'no url', template_data: { type: 'image' } }),
    400,
    /^media_url must be an http or https URL/,
  ],
  ...[
    'http://\\\\x',
    'http://x\\y',
    'http:///x',
    'http://x/a b',
    'http://x/\u0007',
    'http://x/\u0085',
    '\thttp://x',
  ].map(
    (url) =>
      [
        `media_url ${JSON.stringify(url)}`,
        text({ ...SEND, media_url: url, template_data: { type: 'image' } }),
        400,
        /^media_url must be an http or https URL/,
      ] as const,
  ),
  ['scheduled_at that is not a string', text({ ...SEND, scheduled_at: 1 }), 400, /^scheduled_at must be an ISO 8601/],
  ['scheduled_at of 1 MB', text({ ...SEND, scheduled_at: '1'.repeat(1e6) }), 400, /^scheduled_at must be an ISO 8601/],
  ['validity_period 1e9', text({ ...SEND, validity_period: 1e9 }), 400, /^validity_period must be an integer/],
  ['fallback that is not an object', text({ ...SEND, fallback: 'sms' }), 400, /^fallback must be an object/],
  ['fallback.from null', text({ ...SEND, fallback: { channel: 'sms', from: null } }), 400, /^fallback.from must be/],
  ['fallback without from', text({ ...SEND, fallback: { channel: 'sms' } }), 400, /^fallback\.from is required/],
  ['fallback without channel', text({ ...SEND, fallback: { from: 'x' } }), 400, /^fallback\.channel is required/],
  [
    'fallback to WhatsApp',
    text({ ...SEND, fallback: { channel: 'whatsapp', from: 'x' } }),
    400,
    /^fallback\.channel must be sms$/,
  ],
  [
    'fallback.from of 19 characters',
    text({ ...SEND, fallback: { channel: 'sms', from: 'x'.repeat(19) } }),
    400,
    /^fallback\.from must be 1 to 18 printable characters$/,
  ],
  [
    'fallback.message that is a number',
    text({ ...SEND, fallback: { channel: 'sms', from: 'x', message: 1 } }),
    400,
    /^fallback\.message must be a string$/,
  ],
  [
    'fallback for an SMS',
    text({ ...SEND, fallback: { channel: 'sms', from: 'x' } }),
    400,
    /^fallback must not be sent/,
  ],
  ['10,001 recipients', text({ ...SEND, to: Array(10_001).fill(NUMBER) }), 400, /^to must/],
  ['400,000 invalid recipients', `{"to":[${Array(4e5).fill(1)}],"from":"x"}`, 400, /^to must/],
];

const VERSION_1: typeof REFUSED = [
  ['10,001 recipients', text({ ...SEND, to: Array(10_001).fill(NUMBER).join(',') }), 400, /^to must not have more/],
  ['an array of recipients', text({ ...SEND, to: [NUMBER] }), 400, /^to must/],
  ['a million commas', text({ ...SEND, to: ','.repeat(1e6) }), 400, /^to must not have more/],
];

const toCases = (rows: typeof REFUSED) =>
  rows.map(([name, body, status, message, headers]) => ({ name, body, status, message, headers }));

const heliograph = sharedApp();
const account = forSuite(() => createTestAccount(heliograph.deps));
let stateBefore: Awaited<ReturnType<typeof readAccountState>>;

beforeEach(async () => {
  stateBefore = await readAccountState(heliograph, account);
});

describe('invalid input of POST /v1.0/sms/send gets the error body of v1.0 and is not queued or charged', () => {
  it.each(toCases([...REFUSED, ...VERSION_1]))('$name', async ({ body, status, message, headers }) => {
    const response = await post(heliograph.app, '/v1.0/sms/send', account, body, headers);
    expectErrorV1(response, status, expect.stringMatching(message));
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });
});

describe('invalid input of POST /v2/send gets the error body of v2 and is not queued or charged', () => {
  it.each(toCases([...REFUSED, ...VERSION_2]))('$name', async ({ body, status, message, headers }) => {
    const response = await post(heliograph.app, '/v2/send', account, body, headers);
    expectErrorV2(response, status, undefined, expect.stringMatching(message));
    expect(await readAccountState(heliograph, account)).toEqual(stateBefore);
  });
});

describe('invalid input of POST /v2/estimate gets the error body of v2', () => {
  // This endpoint ignores Idempotency-Key.
  const rows = REFUSED.filter(([, , , , headers]) => headers?.['idempotency-key'] === undefined);
  it.each(toCases([...rows, ...VERSION_2]))('$name', async ({ body, status, message, headers }) => {
    const response = await post(heliograph.app, '/v2/estimate', account, body, headers);
    expectErrorV2(response, status, undefined, expect.stringMatching(message));
  });
});

describe('invalid input of the operations on one message gets the error body of v2', () => {
  it.each(['GET /v2/messages/x', 'POST /v2/messages/x/cancel'])('%s returns 404 for malformed IDs', async (route) => {
    const [method = 'GET', path = ''] = route.split(' ') as ['GET' | 'POST', string];
    for (const id of ['x', "'", '%27%3B--', '%F0%9F%98%80', '..%2F..', 'x'.repeat(255), 'null', '0']) {
      const url = path.replace('/x', `/${id}`);
      expectErrorV2(await heliograph.app.inject({ method, url, headers: account.headers }), 404);
    }
    const url = path.replace('/x', '/%00');
    expectErrorV2(await heliograph.app.inject({ method, url, headers: account.headers }), 400);
  });

  it('POST /v2/messages/{message_id}/cancel returns 400 for a body that is not JSON', async () => {
    const id = (await post(heliograph.app, '/v2/send', account, SEND)).json().data[0].message_id;
    expectErrorV2(await post(heliograph.app, `/v2/messages/${id}/cancel`, account, '{"a":'), 400);
  });
});

describe('an empty body', () => {
  it.each(['application/json', 'text/plain', 'garbage', ';', 'application/x-www-form-urlencoded'])(
    'counts as absent with Content-Type %s',
    async (type) => {
      const headers = { ...account.headers, 'content-type': type };
      for (const payload of [undefined, '']) {
        const response = await heliograph.app.inject({ method: 'POST', url: '/v1.0/sms/send', headers, payload });
        expectErrorV1(response, 400, expect.stringContaining('JSON object'));
      }
    },
  );
});

describe('valid message texts', () => {
  it.each(['"a\\ud83d\\ude00b"', '"\\u0041\\\\u0000"', '"\ufffd"', '"\\ufffe\\uffff"', '"__proto__ constructor"'])(
    'are accepted and echoed: %s',
    async (literal) => {
      const response = await post(heliograph.app, '/v1.0/sms/send', account, withMessage(literal), JSON_TYPE);
      expect(response.json().message).toBe(JSON.parse(literal));
    },
  );

  it('are accepted with a charset in the Content-Type', async () => {
    const headers = { 'content-type': 'Application/JSON; charset="utf-8"' };
    expect((await post(heliograph.app, '/v2/send', account, text(SEND), headers)).statusCode).toBe(200);
  });
});
