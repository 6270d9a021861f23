import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { httpType } from '../../../src/carriers/http-api/type.js';
import { checkSettings, findUnsupportedSettings, type SettingValues } from '../../../src/carriers/settings.js';
import { addCarrier } from '../../../src/carriers/setup/carriers.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import {
  createOutbound,
  MESSAGE_ID,
  neverAborted,
  openHttpCarrier,
  PATH_SECRET,
  PUBLIC_URL,
  receiveCall,
} from './setup.js';

const stub = new VendorStub();
beforeAll(() => stub.start());
afterAll(() => stub.stop());
beforeEach(() => {
  stub.respond = () => ({ status: 200, body: { id: 'x-1' } });
});

const openCarrier = (settings: SettingValues, options = {}) =>
  openHttpCarrier({ url: `${stub.url}/send`, idPath: 'id', ...settings }, options);
const send = (settings: SettingValues, body?: string) =>
  openCarrier(settings).submit(createOutbound(body === undefined ? {} : { body }), neverAborted);

const HOSTILE = '"}\r\nX-Evil: 1&to=42#é/../{to}';

describe('a request', () => {
  it("a carrier's request escapes variables according to their position", async () => {
    await send(
      {
        url: `${stub.url}/to/{to}/{text}?a={text}`,
        query: { q: '{text}' },
        headers: { 'x-text': 'is {text}' },
        json: { deep: [{ text: 'is {text}', segments: '{segments}' }] },
      },
      HOSTILE,
    );
    const { path, query, headers, body } = stub.lastRequest;
    expect(decodeURIComponent(path)).toBe(`/to/15005550010/${HOSTILE}`);
    expect([query.get('a'), query.get('q'), query.get('to')]).toEqual([HOSTILE, HOSTILE, null]);
    expect(headers['x-evil']).toBeUndefined();
    expect(headers['x-text']).toBe(`is ${HOSTILE.replace('\r\n', '%0D%0A').replace('é', '%C3%A9')}`);
    expect(JSON.parse(body)).toEqual({ deep: [{ text: `is ${HOSTILE}`, segments: 1 }] });
    await send({ form: { text: '{text}', to: '{to_plus}' } }, HOSTILE);
    expect(stub.lastForm).toEqual({ text: HOSTILE, to: '+15005550010' });
  });

  it.each<[string, SettingValues, string]>([
    ['{receipt_url}', { receiptId: '?message', json: { url: '{receipt_url}' } }, `${MESSAGE_ID}-2`],
    ['{attempt_id}', { receiptId: 'ref', json: { ref: '{attempt_id}' } }, `${MESSAGE_ID}-2`],
    ['{id}, which is the same for every attempt', { receiptId: 'ref', json: { ref: '{id}' } }, MESSAGE_ID],
  ])(
    "a carrier's request contains the attempt ID by %s if the vendor assigns no IDs",
    async (_, settings, expectedId) => {
      const reports = { receiptOurId: true, receiptStatus: 'state', receiptStates: { done: 'delivered' } };
      const carrier = openCarrier({ ...reports, publicUrl: PUBLIC_URL, callbackSecret: PATH_SECRET, ...settings });
      expect(await carrier.submit(createOutbound({ attempt: 2 }), neverAborted)).toEqual({
        carrierMessageId: expectedId,
      });
      expect(stub.lastRequest.body).toContain(`${expectedId}"`);
    },
  );

  it("a carrier's request omits fields whose variable is unset", async () => {
    await send({ json: { a: '{receipt_url}', b: { c: '{receipt_url}' }, d: ['{receipt_url}', 1], e: {} } });
    expect(JSON.parse(stub.lastRequest.body)).toEqual({ d: [1], e: {} });
    await send({ method: 'GET', query: { a: 'x{receipt_url}', b: '1' } });
    expect([...stub.lastRequest.query]).toEqual([['b', '1']]);
  });

  it.each([
    ['basic', { username: 'u:1', secret: 'p' }, { authorization: `Basic ${Buffer.from('u:1:p').toString('base64')}` }],
    ['bearer', { secret: 'p' }, { authorization: 'Bearer p' }],
    ['header', { secret: 'p', secretName: 'X-Key' }, { 'x-key': 'p' }],
  ])("a carrier's request authenticates by %s", async (authentication, settings, headers) => {
    await send({ authentication, ...settings });
    expect(stub.lastRequest.headers).toMatchObject(headers);
  });

  it("a carrier's request authenticates in the query or the form", async () => {
    const credentials = { username: 'u', usernameName: 'user', secret: 'p&1', secretName: 'pass' };
    await send({ authentication: 'query', ...credentials, method: 'GET', query: { to: '{to}' } });
    expect(Object.fromEntries(stub.lastRequest.query)).toEqual({ to: '15005550010', user: 'u', pass: 'p&1' });
    await send({ authentication: 'form', ...credentials, form: { to: '{to}' } });
    expect(stub.lastForm).toEqual({ to: '15005550010', user: 'u', pass: 'p&1' });
  });
});

describe('OAuth client credentials', () => {
  const createSettings = (stub: VendorStub) => ({
    authentication: 'oauth',
    username: 'client:1',
    secret: 'client secret',
    tokenUrl: `${stub.url}/token`,
    scope: 'sms',
  });
  const listTokenRequests = () => stub.requests.filter(({ path }) => path === '/token');
  beforeEach(() => {
    stub.requests.length = 0;
    let tokenCount = 0;
    stub.respond = ({ path }) =>
      path === '/token'
        ? { status: 200, body: { access_token: `token-${++tokenCount}`, token_type: 'Bearer', expires_in: 3600 } }
        : { status: 200, body: { id: 'x-1' } };
  });

  it('a carrier requests one OAuth token for many messages, and a new one before it expires', async () => {
    const clock = { at: new Date('2026-11-24T12:00:00Z'), now: () => clock.at };
    const carrier = openCarrier(createSettings(stub), { clock });
    await Promise.all(Array.from({ length: 10 }, () => carrier.submit(createOutbound(), neverAborted)));
    expect(listTokenRequests()).toHaveLength(1);
    expect(listTokenRequests()[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('client%3A1:client+secret').toString('base64')}`,
    );
    expect(Object.fromEntries(new URLSearchParams(listTokenRequests()[0]?.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'sms',
    });
    expect(stub.lastRequest.headers.authorization).toBe('Bearer token-1');
    clock.at = new Date(clock.at.getTime() + 3_571_000);
    await carrier.submit(createOutbound(), neverAborted);
    expect(stub.lastRequest.headers.authorization).toBe('Bearer token-2');
  });

  it('a carrier requests a new OAuth token after a 401, and sends nothing without one', async () => {
    const carrier = openCarrier(createSettings(stub));
    await carrier.submit(createOutbound(), neverAborted);
    const { respond } = stub;
    stub.respond = (request) => (request.path === '/token' ? respond(request) : { status: 401 });
    await expect(carrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: 'HTTP_401',
      retryable: true,
    });
    const otherCarrier = openCarrier(createSettings(stub));
    stub.respond = () => ({ status: 400, body: { error: 'invalid_client' } });
    await expect(otherCarrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: 'TOKEN_REFUSED',
      notTried: true,
    });
    expect(stub.lastRequest.path).toBe('/token');
  });
});

describe('a call of a vendor', () => {
  const receipts = {
    publicUrl: PUBLIC_URL,
    receiptId: 'id',
    receiptStatus: 'state',
    receiptStates: { Done: 'delivered', 'bad*': 'undelivered', way: 'none' },
  };
  const json = { id: 'x-1', state: 'done' };
  const expected = { receipts: [{ carrierMessageId: 'x-1', status: 'delivered' }] };
  const receiptCall = { kind: 'receipts', json } as const;

  it("a vendor's call is verified by a secret in the path", () => {
    const carrier = openCarrier({ ...receipts, callbackSecret: PATH_SECRET });
    expect(receiveCall(carrier, { ...receiptCall, secret: PATH_SECRET })).toMatchObject(expected);
    expect(() => receiveCall(carrier, receiptCall)).toThrow(/secret in its path/);
  });

  it("a vendor's call is verified by HTTP Basic", () => {
    const carrier = openCarrier({ ...receipts, callbackUsername: 'u', callbackPassword: 'p' });
    const headers = { authorization: `Basic ${Buffer.from('u:p').toString('base64')}` };
    expect(receiveCall(carrier, { ...receiptCall, headers })).toMatchObject(expected);
    expect(() => receiveCall(carrier, receiptCall)).toThrow(/user name and password/);
  });

  it("a vendor's call is verified by an HMAC in a header", () => {
    const carrier = openCarrier({
      ...receipts,
      callbackSignatureHeader: 'X-Sign',
      callbackSignatureSecret: 'secret',
      callbackSignatureAlgorithm: 'sha512',
      callbackSignatureEncoding: 'base64',
      callbackSignaturePrefix: 'v1=',
    });
    const sign = (key: string) => ({
      'x-sign': `v1=${createHmac('sha512', key).update(JSON.stringify(json)).digest('base64')}`,
    });
    expect(receiveCall(carrier, { ...receiptCall, headers: sign('secret') })).toMatchObject(expected);
    expect(() => receiveCall(carrier, { ...receiptCall, headers: sign('other') })).toThrow(/not signed/);
  });

  it("a vendor's call is refused without a body if the signature covers only the body", () => {
    const signatureSettings = { callbackSignatureHeader: 'X-Sign', callbackSignatureSecret: 'secret' };
    const carrier = openCarrier({ ...receipts, ...signatureSettings, receiptId: '?id', receiptStatus: '?state' });
    const headers = { 'x-sign': createHmac('sha256', 'secret').update('').digest('hex') };
    const getCall = { kind: 'receipts' as const, query: 'id=x-1&state=done', headers };
    expect(() => receiveCall(carrier, getCall)).toThrow(/must be a POST with a body/);
  });

  it("a vendor's call is verified by its IP address in addition to other checks", () => {
    const carrier = openCarrier({
      ...receipts,
      callbackSecret: PATH_SECRET,
      callbackAddresses: '198.51.100.0/24, 2001:db8::1',
    });
    for (const ip of ['198.51.100.7', '::ffff:198.51.100.7', '2001:db8::1']) {
      expect(receiveCall(carrier, { ...receiptCall, secret: PATH_SECRET, ip })).toMatchObject(expected);
    }
    expect(() => receiveCall(carrier, { ...receiptCall, secret: PATH_SECRET, ip: '198.51.101.7' })).toThrow(
      /from an IP address/,
    );
    expect(() => receiveCall(carrier, { ...receiptCall, ip: '198.51.100.7' })).toThrow(/secret in its path/);
  });

  it("a vendor's call is refused if the carrier has no secret for callbacks", () => {
    expect(() => receiveCall(openCarrier({}), receiptCall)).toThrow(/has no secret for callbacks/);
  });

  it("a vendor's call finds a message by our ID if the vendor assigns none", () => {
    const carrier = openCarrier({
      ...receipts,
      receiptId: '?message',
      receiptOurId: true,
      callbackSecret: PATH_SECRET,
    });
    const reports = receiveCall(carrier, { ...receiptCall, query: `message=${MESSAGE_ID}`, secret: PATH_SECRET });
    expect(reports.receipts).toMatchObject([{ carrierMessageId: MESSAGE_ID, messageId: MESSAGE_ID }]);
  });

  it("a vendor's call is stored as unmatched if the plan cannot read it", () => {
    const carrier = openCarrier({ ...receipts, callbackSecret: PATH_SECRET });
    for (const unreadable of [{ id: 'x-1', state: 'odd' }, { state: 'done' }, 'text', null]) {
      expect(
        receiveCall(carrier, { ...receiptCall, json: unreadable, secret: PATH_SECRET }).unmatched,
        JSON.stringify(unreadable),
      ).toHaveLength(1);
    }
    expect(receiveCall(carrier, { ...receiptCall, json: [], secret: PATH_SECRET })).toMatchObject({
      receipts: [],
      unmatched: [],
    });
    expect(
      receiveCall(carrier, { ...receiptCall, json: { id: 'x', state: 'Way' }, secret: PATH_SECRET }),
    ).toMatchObject({
      receipts: [],
      unmatched: [],
    });
    expect(
      receiveCall(carrier, { ...receiptCall, json: { id: 'x', state: 'BadNumber' }, secret: PATH_SECRET }).receipts,
    ).toMatchObject([{ status: 'undelivered' }]);
  });
});

describe("an operator's pattern", () => {
  const HOSTILE_PATTERN = '(x+x+)+y';
  const answerWithText = (body: string) => {
    stub.respond = () => ({ status: 200, body });
  };

  it("an operator's pattern matches in linear time", async () => {
    const longText = 'x'.repeat(60_000);
    answerWithText(longText);
    const startedAt = performance.now();
    // With JavaScript's built-in engine, matching `HOSTILE_PATTERN` against 30 characters would take a minute.
    await expect(
      openCarrier({ success: `text ~ /${HOSTILE_PATTERN}/` }).submit(createOutbound(), neverAborted),
    ).rejects.toThrow();
    const settings = { idPath: undefined, idPattern: HOSTILE_PATTERN, codePattern: HOSTILE_PATTERN };
    await openCarrier(settings).submit(createOutbound(), neverAborted);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });

  it.each([
    ['idPattern', '(?<=id: )(\\d+)', 'lookaround'],
    ['idPattern', '(["\'])(.*)\\1', 'backreferences'],
    ['codePattern', '(a{400})(b{400})', 'too large'],
    ['codePattern', '(', 'not a regular expression'],
    ['success', 'status = 200 and text ~ /^(?!ERR)/', 'lookaround'],
  ])('%s=%s is rejected when saved, with field and rule', async (field, value, rule) => {
    const settings = { url: 'https://api.example.com/send', [field]: value };
    const addition = addCarrier({} as never, { name: 'shop', type: 'http', settings });
    await expect(addition).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      fields: [{ field, rule: expect.stringContaining(rule) }],
    });
  });

  it("an operator's pattern is ignored if it is not supported but was saved by an earlier version", async () => {
    answerWithText('ID: 77');
    const oldSettings = { idPath: undefined, idPattern: '(?<=ID: )(\\d+)', success: 'text ~ /^(?!ERR)/' };
    const message = createOutbound();
    const { carrierMessageId } = (await openCarrier(oldSettings).submit(message, neverAborted)) as {
      carrierMessageId: string;
    };
    expect(carrierMessageId).toBe(`none-${message.id}`);
    expect(findUnsupportedSettings(httpType, oldSettings).map(({ field }) => field)).toEqual(['success', 'idPattern']);
    stub.respond = () => ({ status: 400, body: 'ERR' });
    await expect(openCarrier(oldSettings).submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: 'HTTP_400',
    });
  });
});

describe('generic settings', () => {
  const findProblem = (settings: SettingValues): string => {
    try {
      checkSettings(httpType, { url: 'https://api.example.com/send', ...settings });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each<[SettingValues, RegExp]>([
    [{ preset: 'nobody' }, /preset must be one of africastalking, aws, heliograph/],
    [{ url: 'https://{to}.example.com/' }, /url must not contain a variable in its host/],
    [{ form: { a: '{recipient}' } }, /form contains \{recipient\}, which is not a variable/],
    [{ form: {}, json: {} }, /form and json must not both be set/],
    [{ method: 'GET', json: {} }, /method must not be GET/],
    [{ headers: { Host: 'x' } }, /headers must not set Host/],
    [{ headers: { 'x-a': 'a\r\nb' } }, /printable ASCII/],
    [{ authentication: 'basic' }, /username must be set with authentication basic/],
    [{ success: 'status = ' }, /success needs a value/],
    [{ idPath: 'a[' }, /idPath has a syntax error at "\["/],
    [{ idPattern: 'id' }, /idPattern must contain a group/],
    [{ receiptId: 'id' }, /receiptStatus must be set with receiptId/],
    [
      { callbackAddresses: '1.2.3' },
      /callbackAddresses must contain only IP addresses and networks; 1\.2\.3 is neither/,
    ],
    [
      { publicUrl: 'https://x.example', receiptId: 'id', receiptStatus: 's', receiptStates: {} },
      /callbackPassword.* must be set with publicUrl/,
    ],
    [{ preset: 'twilio' }, /url is not a setting.*accountSid must be set/],
  ])('the settings %j are rejected', (settings, expected) => {
    expect(findProblem(settings)).toMatch(expected);
  });

  it('settings of a preset replace those of the type', () => {
    const kannel = { preset: 'kannel', username: 'u', password: 'p', baseUrl: 'http://kannel:13013' };
    expect(checkSettings(httpType, kannel)).toMatchObject({
      path: '/cgi-bin/sendsms',
      parallel: 20,
      timeoutMs: 20_000,
    });
    expect(() => checkSettings(httpType, { ...kannel, publicUrl: 'https://x.example' })).toThrow(
      'callbackSecret must be set with publicUrl: calls of the vendor cannot be verified without it',
    );
  });
});

describe('a carrier with a private address', () => {
  it('a carrier with a private address is not reached unless CARRIER_PRIVATE_HOSTS names it', async () => {
    stub.requests.length = 0;
    const privateAddressError = { code: 'PRIVATE_ADDRESS', retryable: true, notTried: true };
    for (const privateHosts of [[], ['localhost']]) {
      await expect(openCarrier({}, { privateHosts }).submit(createOutbound(), neverAborted)).rejects.toMatchObject(
        privateAddressError,
      );
    }
    expect(stub.requests).toEqual([]);
    await expect(
      openCarrier({}, { privateHosts: ['127.0.0.1'] }).submit(createOutbound(), neverAborted),
    ).resolves.toBeDefined();
  });
});
