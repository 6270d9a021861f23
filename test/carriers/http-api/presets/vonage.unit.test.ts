import { createHash, createHmac, generateKeyPairSync, verify } from 'node:crypto';
import { tokenGenerate, verifySignature } from '@vonage/jwt';
import { describe, expect, it } from 'vitest';
import {
  CALLBACK_SETTINGS,
  createOutbound,
  MESSAGE_ID,
  NOW,
  neverAborted,
  PATH_SECRET,
  PUBLIC_URL,
  receiptUrl,
  receiveCall,
  secretUrl,
  suiteVendor,
  TEXT,
  toBody,
  UCS2_TEXT,
} from '../setup.js';

const { answer, open, stub } = suiteVendor();

describe('the preset vonage', () => {
  const settings = { preset: 'vonage', apiKey: 'abcd', apiSecret: 'api-secret', ...CALLBACK_SETTINGS };
  const openVonage = () => open(settings);

  it('the preset vonage sends requests as documented', async () => {
    answer(200, { 'message-count': '1', messages: [{ to: '15005550010', 'message-id': 'A1', status: '0' }] });
    expect(await openVonage().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'A1' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/sms/json' });
    expect(stub.lastForm).toEqual({
      api_key: 'abcd',
      api_secret: 'api-secret',
      from: 'Heliograph',
      to: '15005550010',
      text: TEXT,
      type: 'text',
      'client-ref': MESSAGE_ID,
      callback: secretUrl,
      ttl: '3600000',
    });
  });

  it('the preset vonage returns the ID of each part', async () => {
    const createPart = (id: string) => ({ 'message-id': id, status: '0' });
    answer(200, { 'message-count': '2', messages: [createPart('A1'), createPart('A2')] });
    const longMessage = createOutbound({ body: UCS2_TEXT.repeat(15) });
    expect(await openVonage().submit(longMessage, neverAborted)).toEqual({
      carrierMessageId: 'A1',
      parts: [
        { part: 1, carrierMessageId: 'A1' },
        { part: 2, carrierMessageId: 'A2' },
      ],
    });
    expect(stub.lastForm.type).toBe('unicode');
    answer(200, { 'message-count': '2', messages: [createPart('A1'), createPart('A1')] });
    expect(await openVonage().submit(longMessage, neverAborted)).toEqual({ carrierMessageId: 'A1' });
    const partIds = ['A1', 'A2', 'A3'];
    answer(200, { messages: partIds.map(createPart) });
    const parts = partIds.map((carrierMessageId, index) => ({ part: index + 1, carrierMessageId }));
    expect(await openVonage().submit(longMessage, neverAborted)).toEqual({ carrierMessageId: 'A1', parts });
  });

  it.each([
    ['throttled, and then for good', ['1', '6'], { code: '6', retryable: false }],
    ['throttled, and then for lack of credit', ['1', '9'], { code: '9', retryable: true }],
    ['for lack of credit, and then throttled', ['9', '1'], { code: '9', retryable: true }],
    ['by an error, and then throttled', ['5', '1'], { code: '1', retryable: true }],
  ])(
    'the preset vonage judges a message by its worst code if all parts were refused: %s',
    async (_, statuses, error) => {
      answer(200, { 'message-count': '2', messages: statuses.map((status) => ({ status, 'error-text': 'words' })) });
      const submission = openVonage().submit(createOutbound({ body: UCS2_TEXT.repeat(15) }), neverAborted);
      await expect(submission).rejects.toMatchObject({ ...error, answerLost: false });
    },
  );

  it.each([
    ['the second', ['0', '6', '0'], '6'],
    ['the first', ['9', '0', '0'], '9'],
    ['the last, for now', ['0', '0', '1'], '1'],
  ])('the preset vonage does not count a message as sent if %s part was refused', async (_, statuses, code) => {
    const createPart = (status: string, index: number) =>
      status === '0' ? { 'message-id': `A${index}`, status } : { status, 'error-text': 'words' };
    answer(200, { 'message-count': '3', messages: statuses.map(createPart) });
    await expect(
      openVonage().submit(createOutbound({ body: UCS2_TEXT.repeat(20) }), neverAborted),
    ).rejects.toMatchObject({
      ...{ code, retryable: false, answerLost: true },
      message: expect.stringMatching(/refused a part of the message with .*: words/),
    });
  });

  it.each([
    ['1', { retryable: true }],
    ['9', { retryable: true }],
    ['4', { retryable: true }],
    ['6', { retryable: false, code: '6' }],
  ])('the preset vonage reads status %s in a response with HTTP status 200', async (status, error) => {
    answer(200, { messages: [{ status, 'error-text': 'words' }] });
    await expect(openVonage().submit(createOutbound(), neverAborted)).rejects.toMatchObject(error);
  });

  const receipt = {
    msisdn: '15005550010',
    to: 'Heliograph',
    'network-code': '310090',
    messageId: 'A1',
    price: '0.03330000',
    status: 'delivered',
    scts: '2611241158',
    'err-code': '0',
    'api-key': 'abcd',
    'message-timestamp': '2026-11-24 11:59:00',
  };

  it('the preset vonage reads receipts in JSON, in a query and in a form', () => {
    const expected = [{ carrierMessageId: 'A1', status: 'delivered', occurredAt: new Date('2026-11-24T11:59:00Z') }];
    const query = `message=${MESSAGE_ID}`;
    const receiptCall = { kind: 'receipts', secret: PATH_SECRET } as const;
    expect(receiveCall(openVonage(), { ...receiptCall, query, json: receipt }).receipts).toMatchObject(expected);
    expect(receiveCall(openVonage(), { ...receiptCall, query, form: receipt }).receipts).toMatchObject(expected);
    const fullQuery = new URLSearchParams(receipt).toString();
    expect(receiveCall(openVonage(), { ...receiptCall, query: `${query}&${fullQuery}` }).receipts).toMatchObject(
      expected,
    );
  });

  it('the preset vonage reads messages and their parts', () => {
    const partFields = { 'concat-ref': '12', 'concat-total': '3', 'concat-part': '2' };
    const form = {
      msisdn: '40722000001',
      to: '15005550006',
      messageId: 'B1',
      text: 'two',
      concat: 'true',
      ...partFields,
    };
    expect(receiveCall(openVonage(), { kind: 'inbound', form, secret: PATH_SECRET }).inbound).toMatchObject([
      { from: '40722000001', to: '15005550006', body: 'two', concatenation: { reference: 12, total: 3, part: 2 } },
    ]);
    const wideReference = { ...form, 'concat-ref': '4294967308' };
    const [kept] = receiveCall(openVonage(), { kind: 'inbound', form: wideReference, secret: PATH_SECRET }).inbound;
    expect(kept?.concatenation).toEqual({ reference: 12, total: 3, part: 2 });
    const tooManyParts = { ...form, 'concat-total': '256' };
    const [alone] = receiveCall(openVonage(), { kind: 'inbound', form: tooManyParts, secret: PATH_SECRET }).inbound;
    expect([alone?.body, alone?.concatenation]).toEqual(['two', undefined]);
  });

  it('the preset vonage accepts only signed calls if it has a signature secret', () => {
    const strict = open({ ...settings, signatureSecret: 'sig-secret' });
    const fields: Record<string, string> = { ...receipt, timestamp: String(NOW.getTime() / 1000), nonce: 'n&=1' };
    const text = Object.keys(fields)
      .sort()
      .map((name) => `&${name}=${String(fields[name]).replace(/[&=]/g, '_')}`)
      .join('');
    const sig = createHmac('sha256', 'sig-secret').update(text).digest('hex').toUpperCase();
    const receiptCall = { kind: 'receipts', secret: PATH_SECRET } as const;
    expect(receiveCall(strict, { ...receiptCall, form: { ...fields, sig } }).receipts).toHaveLength(1);
    for (const form of [fields, { ...fields, sig, status: 'failed' }]) {
      expect(() => receiveCall(strict, { ...receiptCall, form })).toThrow(/not signed/);
    }
  });
});

describe('the preset vonage-messages', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const APPLICATION = '0192f0c1-7d3a-4c2e-9b1a-2f6d1c0a4e55';
  const openVonage = () =>
    open({
      preset: 'vonage-messages',
      applicationId: APPLICATION,
      privateKey: pem,
      signatureSecret: 'the-signature-secret',
      publicUrl: PUBLIC_URL,
    });

  it('the preset vonage-messages sends requests as documented, with a token of the application', async () => {
    answer(202, { message_uuid: 'u-1' });
    expect(await openVonage().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'u-1' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/v1/messages' });
    expect(JSON.parse(stub.lastRequest.body)).toEqual({
      message_type: 'text',
      channel: 'sms',
      from: 'Heliograph',
      to: '15005550010',
      text: TEXT,
      client_ref: MESSAGE_ID,
      ttl: 3600,
      webhook_url: receiptUrl,
      webhook_version: 'v1',
      sms: { encoding_type: 'text' },
    });
    const [head, claims, signature] = String(stub.lastRequest.headers.authorization).replace('Bearer ', '').split('.');
    const decodePart = (encoded: string | undefined) =>
      JSON.parse(Buffer.from(String(encoded), 'base64url').toString());
    expect(
      verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(String(signature), 'base64url')),
    ).toBe(true);
    // Vonage's own npm package must create the same JWT header and claims.
    const [itsHead, itsClaims] = tokenGenerate(APPLICATION, pem, { issued_at: NOW.getTime() / 1000 }).split('.');
    expect(decodePart(head)).toEqual(decodePart(itsHead));
    expect(decodePart(claims)).toMatchObject({ application_id: APPLICATION, iat: decodePart(itsClaims).iat });
    expect(Object.keys(decodePart(claims)).sort()).toEqual(
      expect.arrayContaining(['application_id', 'exp', 'iat', 'jti']),
    );
  });

  it.each([
    [5, 20],
    [90, 90],
    [30 * 86_400, 604_800],
  ])('with %i seconds of validity left, the preset vonage-messages requests a ttl of %i', async (secondsLeft, ttl) => {
    answer(202, { message_uuid: 'u-1' });
    await openVonage().submit(
      createOutbound({ validUntil: new Date(NOW.getTime() + secondsLeft * 1_000) }),
      neverAborted,
    );
    expect(JSON.parse(stub.lastRequest.body)).toMatchObject({ ttl });
  });

  it.each([
    [401, 'https://developer.vonage.com/api-errors#unauthorized', { retryable: true }],
    [402, 'https://developer.vonage.com/api-errors/#low-balance', { retryable: true }],
    [422, 'https://developer.vonage.com/api-errors/messages#1120', { retryable: false, code: '1120' }],
    [429, 'https://developer.vonage.com/api-errors/messages#1000', { retryable: true, code: '1000' }],
    [422, 'https://developer.vonage.com/api-errors/messages#1100', { retryable: true, code: '1100' }],
    [422, 'https://developer.vonage.com/api-errors/messages#1070', { retryable: true, code: '1070' }],
    [422, 'https://developer.vonage.com/api-errors/messages#1060', { retryable: true, code: '1060' }],
  ])('the preset vonage-messages reads status %s with the error type %s', async (status, type, error) => {
    answer(status, { type, title: 'title', detail: 'detail', instance: 'i' });
    await expect(openVonage().submit(createOutbound(), neverAborted)).rejects.toMatchObject(error);
  });

  it('the preset vonage-messages accepts calls signed by Vonage, whose own package agrees', () => {
    const timestamp = '2026-11-24T11:58:00.000Z';
    const json = { message_uuid: 'u-1', to: '1', from: 'H', timestamp, status: 'delivered' };
    const body = toBody({ json });
    const token = createToken(
      {
        iat: NOW.getTime() / 1000,
        jti: 'j',
        iss: 'Vonage',
        payload_hash: createHash('sha256').update(body).digest('hex'),
      },
      'the-signature-secret',
    );
    expect(verifySignature(token, 'the-signature-secret')).toBe(true);
    const headers = { authorization: `Bearer ${token}` };
    const query = `message=${MESSAGE_ID}`;
    expect(receiveCall(openVonage(), { kind: 'receipts', query, json, headers }).receipts).toMatchObject([
      { carrierMessageId: 'u-1', status: 'delivered', occurredAt: new Date('2026-11-24T11:58:00Z') },
    ]);
    const otherJson = { ...json, status: 'rejected' };
    expect(() => receiveCall(openVonage(), { kind: 'receipts', query, json: otherJson, headers })).toThrow(
      /for another body/,
    );
    const foreignToken = { authorization: `Bearer ${createToken({ iat: NOW.getTime() / 1000 }, 'another-secret')}` };
    expect(() => receiveCall(openVonage(), { kind: 'receipts', query, json, headers: foreignToken })).toThrow(
      /not signed/,
    );
    const expiredToken = {
      authorization: `Bearer ${createToken({ iat: NOW.getTime() / 1000 - 301 }, 'the-signature-secret')}`,
    };
    expect(() => receiveCall(openVonage(), { kind: 'receipts', query, json, headers: expiredToken })).toThrow(
      /too old/,
    );
  });
});

function createToken(claims: object, secret: string): string {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signedText = `${encodePart({ alg: 'HS256', typ: 'JWT' })}.${encodePart(claims)}`;
  return `${signedText}.${createHmac('sha256', secret).update(signedText).digest('base64url')}`;
}
