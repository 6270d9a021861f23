import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
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
  suiteVendor,
  TEXT,
} from '../setup.js';

const { answer, json, open, stub } = suiteVendor();

const buildBasic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('the preset plivo', () => {
  const openPlivo = () =>
    open({ preset: 'plivo', authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: 'plivo-token', publicUrl: PUBLIC_URL });

  it('the preset plivo sends requests as documented', async () => {
    answer(202, { message: 'message(s) queued', message_uuid: ['u-1'], api_id: 'a' });
    expect(await openPlivo().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'u-1' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/v1/Account/MAXXXXXXXXXXXXXXXXXX/Message/' });
    expect(stub.lastRequest.headers.authorization).toBe(buildBasic('MAXXXXXXXXXXXXXXXXXX', 'plivo-token'));
    expect(json()).toEqual({
      src: 'Heliograph',
      dst: '+15005550010',
      text: TEXT,
      type: 'sms',
      url: receiptUrl,
      method: 'POST',
    });
    answer(402, { error: 'insufficient credit', api_id: 'a' });
    await expect(openPlivo().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: 'HTTP_402',
      retryable: true,
    });
  });

  it('the preset plivo accepts calls signed by Plivo', () => {
    // `validateV3Signature` of the npm package plivo 4.79.0 accepts both signatures of this test.
    const form = { MessageUUID: 'u-1', Status: 'delivered', To: '15005550010', From: '15005550006' };
    const signedHeaders = {
      'x-plivo-signature-v3': 'other,Os4cnovHWJmf5EViNPqkxZaH2GFkeVQALXzIf1/cjBo=',
      'x-plivo-signature-v3-nonce': '12345',
    };
    const query = `message=${MESSAGE_ID}`;
    const { receipts } = receiveCall(openPlivo(), { kind: 'receipts', query, form, headers: signedHeaders });
    expect(receipts).toMatchObject([{ carrierMessageId: 'u-1', status: 'delivered' }]);
    const changedForm = { ...form, Status: 'failed' };
    expect(() =>
      receiveCall(openPlivo(), { kind: 'receipts', query, form: changedForm, headers: signedHeaders }),
    ).toThrow(/not signed/);
    const get = {
      'x-plivo-signature-v3': '6ZNwRyg3mpDS/6OJk3pkn5lfUZD2YBVycv9+fzHRQQ4=',
      'x-plivo-signature-v3-nonce': '12345',
    };
    expect(receiveCall(openPlivo(), { kind: 'receipts', query: 'b=2&a=1', headers: get }).unmatched).toHaveLength(1);
  });

  it('the preset plivo reports parts under the ID of the message', () => {
    const form = { MessageUUID: 'u-2', ParentMessageUUID: 'u-1', Status: 'undelivered', ErrorCode: '300' };
    const fields = Object.entries(form).sort().flat().join('');
    const signedText = `${PUBLIC_URL}/callbacks/http/v/receipts?${fields}.n`;
    const signature = createHmac('sha256', 'plivo-token').update(signedText).digest('base64');
    const headers = { 'x-plivo-signature-v3': signature, 'x-plivo-signature-v3-nonce': 'n' };
    expect(receiveCall(openPlivo(), { kind: 'receipts', form, headers }).receipts).toMatchObject([
      { carrierMessageId: 'u-1', status: 'undelivered', errorCode: '300' },
    ]);
  });
});

describe('the preset messagebird', () => {
  const openInfobip = () =>
    open({ preset: 'messagebird', accessKey: 'key', signingKey: 'the-signing-key', publicUrl: PUBLIC_URL });

  it('the preset messagebird sends requests as documented', async () => {
    answer(201, { id: 'mb-1', recipients: { totalSentCount: 1 } });
    expect(await openInfobip().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'mb-1' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/messages' });
    expect(stub.lastRequest.headers.authorization).toBe('AccessKey key');
    expect(json()).toEqual({
      recipients: ['15005550010'],
      originator: 'Heliograph',
      body: TEXT,
      datacoding: 'plain',
      validity: 3600,
      reference: MESSAGE_ID,
      reportUrl: receiptUrl,
    });
    answer(422, { errors: [{ code: 25, description: 'Not enough balance', parameter: null }] });
    await expect(openInfobip().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '25',
      retryable: true,
    });
  });

  it('the preset messagebird accepts calls signed by MessageBird', () => {
    // `verify` of the npm package messagebird 4.0.1 accepts the JWT in this test.
    const headers = {
      'messagebird-signature-jwt':
        'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ1cmxfaGFzaCI6IjU3ZmJjM2VmYjBkNjdjYjVlMjhlZTIyMmU1NDMxNDVkMTE3ZDlkNDU2MzA0NGM4MWE1NTZiM2QyNDg0YjQ5MWIiLCJpc3MiOiJNZXNzYWdlQmlyZCIsImp0aSI6ImotMSIsIm5iZiI6MTc5NTUyMTU5OSwiaWF0IjoxNzk1NTIxNjAwLCJleHAiOjE3OTU1MjE2NjB9.ckjxVFFGvkUTj-Rp631pJI-7xxD8u_TUFY43iuAD46M',
    };
    const query = `message=${MESSAGE_ID}&id=mb-1&status=delivered`;
    expect(receiveCall(openInfobip(), { kind: 'receipts', query, headers }).receipts).toMatchObject([
      { carrierMessageId: 'mb-1', status: 'delivered' },
    ]);
    const changedQuery = query.replace('delivered', 'expired');
    expect(() => receiveCall(openInfobip(), { kind: 'receipts', query: changedQuery, headers })).toThrow(
      /for another address/,
    );
    expect(() => receiveCall(openInfobip(), { kind: 'receipts', query })).toThrow(/not signed/);
  });
});

describe('the preset telnyx', () => {
  // `webhooks.unwrap` of the npm package telnyx 7.24.0 accepts signatures by this test key if the timestamp is recent.
  const PUBLIC_KEY = 'bbeChyP74yzyOy2BQ180uIghs/oWYspjUM3qpJkEji0=';
  const openTelnyx = () => open({ preset: 'telnyx', apiKey: 'KEY', publicKey: PUBLIC_KEY, publicUrl: PUBLIC_URL });

  it('the preset telnyx sends requests as documented', async () => {
    answer(200, { data: { id: 't-1', to: [{ status: 'queued' }] } });
    expect(await openTelnyx().submit(createOutbound({ from: '15005550006' }), neverAborted)).toEqual({
      carrierMessageId: 't-1',
    });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/v2/messages' });
    expect(stub.lastRequest.headers.authorization).toBe('Bearer KEY');
    expect(json()).toEqual({
      from: '+15005550006',
      to: '+15005550010',
      text: TEXT,
      type: 'SMS',
      webhook_url: receiptUrl.replace('/receipts', '/events'),
    });
    answer(422, { errors: [{ code: '40310', title: "Invalid 'to' address", detail: 'words' }] });
    await expect(openTelnyx().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '40310',
      retryable: false,
    });
    answer(400, { errors: [{ code: '10016', title: 'Phone number must be in +E.164 format' }] });
    await expect(openTelnyx().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '10016',
      retryable: false,
    });
  });

  it('the preset telnyx accepts calls signed by Telnyx within the last minutes', () => {
    const signedHeaders = {
      'telnyx-signature-ed25519':
        'QCFCzJbcZccbGOwjU+LIbPUHm+urFkdnoJehi8ID5eXRDFyvx2IRmHhtgC+Ya1FaRwFm4fFBisoH+gscMJc2BQ==',
      'telnyx-timestamp': '1795521600',
    };
    const event = { data: { event_type: 'message.finalized' } };
    expect(receiveCall(openTelnyx(), { kind: 'events', json: event, headers: signedHeaders }).unmatched).toMatchObject([
      { reportType: 'receipt', reason: 'incomplete' },
    ]);
    const otherEvent = { data: { event_type: 'message.received' } };
    expect(() => receiveCall(openTelnyx(), { kind: 'events', json: otherEvent, headers: signedHeaders })).toThrow(
      /not signed/,
    );
    const expiredHeaders = { ...signedHeaders, 'telnyx-timestamp': '1795521299' };
    expect(() => receiveCall(openTelnyx(), { kind: 'events', json: event, headers: expiredHeaders })).toThrow(
      /too old/,
    );
  });
});

describe('the preset smsgate', () => {
  const settings = {
    preset: 'smsgate',
    username: 'u',
    password: 'p',
    phoneNumber: '40799000001',
    simNumber: 2,
    signingKey: 'sign',
    ...CALLBACK_SETTINGS,
  };
  const openSmsgate = () => open(settings);

  it('the preset smsgate sends requests as documented', async () => {
    answer(202, { id: MESSAGE_ID, state: 'Pending', recipients: [] });
    expect(await openSmsgate().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: MESSAGE_ID });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/messages' });
    expect(json()).toEqual({
      id: MESSAGE_ID,
      textMessage: { text: TEXT },
      phoneNumbers: ['+15005550010'],
      ttl: 3600,
      withDeliveryReport: true,
      simNumber: 2,
    });
    answer(409, { message: 'duplicate id' });
    expect(await openSmsgate().submit(createOutbound({ attempt: 2 }), neverAborted)).toEqual({
      carrierMessageId: MESSAGE_ID,
    });
  });

  it('the preset smsgate accepts calls signed by the app', () => {
    const createCall = (body: object, key = 'sign') => {
      const timestamp = String(NOW.getTime() / 1000);
      const signature = createHmac('sha256', key)
        .update(JSON.stringify(body) + timestamp)
        .digest('hex');
      const headers = { 'x-signature': signature, 'x-timestamp': timestamp };
      const kind = (body as { event: string }).event === 'sms:received' ? 'inbound' : 'receipts';
      return receiveCall(openSmsgate(), { kind, secret: PATH_SECRET, json: body, headers });
    };
    const deliveredEvent = { event: 'sms:delivered', id: 'e1', payload: { messageId: MESSAGE_ID, phoneNumber: '+1' } };
    expect(createCall(deliveredEvent).receipts).toMatchObject([{ carrierMessageId: MESSAGE_ID, status: 'delivered' }]);
    const receivedEvent = {
      event: 'sms:received',
      id: 'e2',
      payload: { messageId: 'abc', message: 'Hi', phoneNumber: '+40722000001' },
    };
    expect(createCall(receivedEvent).inbound).toMatchObject([
      { carrierMessageId: 'e2', from: '40722000001', to: '40799000001', body: 'Hi' },
    ]);
    expect(() => createCall(deliveredEvent, 'other')).toThrow(/not signed/);
  });
});

describe('the preset heliograph', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const openCarrier = () =>
    open({ preset: 'heliograph', apiKey: 'hg_live_x', webhookSecret: secret, publicUrl: PUBLIC_URL });

  it('the preset heliograph sends through version 2 of the API, with an idempotency key', async () => {
    answer(200, { status: 'success', message: 'm', code: 200, data: [{ message_id: 'h-1', message_count: 1 }] });
    expect(await openCarrier().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'h-1' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/v2/send' });
    expect(stub.lastRequest.headers).toMatchObject({
      authorization: 'Bearer hg_live_x',
      'idempotency-key': MESSAGE_ID,
    });
    expect(json()).toEqual({
      to: '15005550010',
      from: 'Heliograph',
      channel: 'sms',
      message: TEXT,
      reference: MESSAGE_ID,
      valid_until: createOutbound().validUntil.toISOString(),
      callback_url: receiptUrl.replace('/receipts', '/events'),
    });
    const { body } = stub.lastRequest;
    await openCarrier().submit(createOutbound({ attempt: 2 }), neverAborted);
    expect(stub.lastRequest.body).toBe(body);
    answer(402, { status: 'error', message: 'too little', code: 402, data: {} });
    await expect(openCarrier().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '402',
      retryable: true,
    });
  });

  it('the preset heliograph applies a refusal by the spending guard only to that recipient, without pausing the carrier', async () => {
    const createRefusal = (code: number) => ({
      status: 'error',
      message: 'm',
      code,
      data: { errors: [{ field: 'to', message: 'is' }] },
    });
    const firstCarrier = openCarrier();
    answer(403, createRefusal(403));
    await expect(firstCarrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '403',
      retryable: false,
    });
    answer(429, createRefusal(429));
    await expect(firstCarrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '429',
      retryable: true,
    });
    answer(200, { status: 'success', message: 'm', code: 200, data: [{ message_id: 'h-2', message_count: 1 }] });
    expect(await firstCarrier.submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'h-2' });
    answer(403, { status: 'error', message: 'm', code: 403, data: { errors: [] } });
    await expect(firstCarrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '403',
      retryable: true,
    });
    await expect(firstCarrier.submit(createOutbound(), neverAborted)).rejects.toMatchObject({ retryable: true });
  });

  it('the preset heliograph accepts calls signed by the package standardwebhooks', () => {
    const event = {
      type: 'message.status',
      timestamp: '2026-11-24T11:59:00.000Z',
      data: { messageId: 'h-1', status: 'delivered' },
    };
    const headers = {
      'webhook-id': 'w-1',
      'webhook-timestamp': String(NOW.getTime() / 1000),
      'webhook-signature': new Webhook(secret).sign('w-1', NOW, JSON.stringify(event)),
    };
    expect(receiveCall(openCarrier(), { kind: 'events', json: event, headers }).receipts).toMatchObject([
      { carrierMessageId: 'h-1', status: 'delivered' },
    ]);
    const changedEvent = { ...event, data: { ...event.data, status: 'failed' } };
    expect(() => receiveCall(openCarrier(), { kind: 'events', json: changedEvent, headers })).toThrow(/not signed/);
  });
});
