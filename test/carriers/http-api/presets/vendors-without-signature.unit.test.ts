import { describe, expect, it } from 'vitest';
import {
  CALLBACK_SETTINGS,
  createOutbound,
  MESSAGE_ID,
  neverAborted,
  PATH_SECRET,
  receiveCall,
  secretUrl,
  suiteVendor,
  TEXT,
} from '../setup.js';

const { answer, json, open, stub } = suiteVendor();

describe('the preset sinch', () => {
  const openSinch = () => open({ preset: 'sinch', servicePlanId: 'plan1', apiToken: 'token', ...CALLBACK_SETTINGS });

  it('the preset sinch sends requests as documented', async () => {
    answer(201, { id: '01H', to: ['15005550010'], canceled: false });
    expect(await openSinch().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: '01H' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/xms/v1/plan1/batches' });
    expect(stub.lastRequest.headers.authorization).toBe('Bearer token');
    expect(json()).toEqual({
      from: 'Heliograph',
      to: ['15005550010'],
      body: TEXT,
      type: 'mt_text',
      expire_at: '2026-11-24T13:00:00.000Z',
      client_reference: MESSAGE_ID,
      delivery_report: 'per_recipient',
      callback_url: secretUrl,
    });
  });

  it('the preset sinch reads receipts and messages', () => {
    const receipt = {
      type: 'recipient_delivery_report_sms',
      batch_id: '01H',
      recipient: '1',
      code: 0,
      at: '2026-11-24T11:00:00Z',
    };
    const read = (overrides: object) =>
      receiveCall(openSinch(), { kind: 'receipts', secret: PATH_SECRET, json: { ...receipt, ...overrides } });
    expect(read({ status: 'Delivered' }).receipts).toMatchObject([{ carrierMessageId: '01H', status: 'delivered' }]);
    expect(read({ status: 'Failed', code: 402 }).receipts).toMatchObject([{ status: 'undelivered', errorCode: '402' }]);
    expect(read({ status: 'Dispatched' })).toMatchObject({ receipts: [], unmatched: [] });
    const mo = {
      type: 'mo_text',
      id: 'i1',
      from: '40722000001',
      to: '12345',
      body: 'Hi',
      received_at: '2026-11-24T11:00:00Z',
    };
    expect(receiveCall(openSinch(), { kind: 'inbound', secret: PATH_SECRET, json: mo }).inbound).toMatchObject([
      { carrierMessageId: 'i1', from: '40722000001', to: '12345', body: 'Hi' },
    ]);
    const binary = { ...mo, type: 'mo_binary', body: 'AAEC' };
    expect(receiveCall(openSinch(), { kind: 'inbound', secret: PATH_SECRET, json: binary }).inbound).toMatchObject([
      { body: 'AAEC', isBinary: true },
    ]);
  });
});

describe('the preset clickatell', () => {
  const openClickatell = () => open({ preset: 'clickatell', apiKey: 'key==', ...CALLBACK_SETTINGS });

  it('the preset clickatell sends requests as documented, and reads reports', async () => {
    answer(202, { messages: [{ apiMessageId: 'c-1', accepted: true, to: '15005550010', error: null }], error: null });
    expect(await openClickatell().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'c-1' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/messages' });
    expect(stub.lastRequest.headers.authorization).toBe('key==');
    expect(json()).toMatchObject({
      content: TEXT,
      to: ['15005550010'],
      from: 'Heliograph',
      clientMessageId: MESSAGE_ID,
    });
    answer(200, {
      messages: [{ apiMessageId: null, accepted: false, error: { code: 105, description: 'Invalid Destination' } }],
    });
    await expect(openClickatell().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '105',
      retryable: false,
    });
    const receipt = { messageId: 'c-1', statusCode: 4, status: 'RECEIVED_BY_RECIPIENT', timestamp: 1795521000000 };
    expect(
      receiveCall(openClickatell(), { kind: 'receipts', secret: PATH_SECRET, json: receipt }).receipts,
    ).toMatchObject([{ carrierMessageId: 'c-1', status: 'delivered', occurredAt: new Date(1795521000000) }]);
    const mo = { messageId: 'c-2', fromNumber: '40722000001', toNumber: '12345', text: 'Hi', timestamp: 1795521000000 };
    expect(receiveCall(openClickatell(), { kind: 'inbound', secret: PATH_SECRET, json: mo }).inbound).toMatchObject([
      { body: 'Hi' },
    ]);
  });
});

describe('a Clickatell message with a charset', () => {
  const openClickatell = () => open({ preset: 'clickatell', apiKey: 'key==', ...CALLBACK_SETTINGS });

  it.each([
    ['%00S%00T%00O%00P', 'UTF-16BE', 'STOP'],
    ['%04%1F%04%40%00+%D8%3D%DE%00', 'UTF-16BE', 'Пр 😀'],
    ['%FF%FES%00T%00O%00P%00', 'UTF-16BE', 'STOP'],
    ['Stra%DFe+50%25%21', 'ISO-8859-1', 'Straße 50%!'],
    ['STOP%20ALL', 'ISO-8859-1', 'STOP ALL'],
    ['STOP', 'ISO-8859-1', 'STOP'],
    ['100% sure', 'ISO-8859-1', '100% sure'],
    ['1 + 1 = %32', 'ISO-8859-1', '1 + 1 = 2'],
    ['50%20off', 'UTF-8', '50%20off'],
    ['Stra%DFe', undefined, 'Stra%DFe'],
  ])('the Clickatell text %s in %s is decoded as %s', (text, charset, body) => {
    const mo = {
      messageId: 'c-2',
      fromNumber: '40722000001',
      toNumber: '12345',
      text,
      charset,
      timestamp: 1795521000000,
    };
    expect(receiveCall(openClickatell(), { kind: 'inbound', secret: PATH_SECRET, json: mo }).inbound).toMatchObject([
      { body },
    ]);
  });
});

describe('the preset africastalking', () => {
  const openAfricasTalking = () =>
    open({ preset: 'africastalking', username: 'sandbox', apiKey: 'key', ...CALLBACK_SETTINGS });

  it('the preset africastalking sends requests as documented, and reads reports', async () => {
    const respond = (statusCode: number, status: string) => ({
      SMSMessageData: {
        Message: 'Sent to 1/1',
        Recipients: [{ statusCode, number: '+15005550010', status, messageId: 'ATXid_1' }],
      },
    });
    answer(201, respond(101, 'Success'));
    expect(await openAfricasTalking().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'ATXid_1' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/version1/messaging' });
    expect(stub.lastRequest.headers.apikey).toBe('key');
    expect(stub.lastForm).toEqual({ username: 'sandbox', to: '+15005550010', from: 'Heliograph', message: TEXT });
    answer(201, respond(403, 'InvalidPhoneNumber'));
    await expect(openAfricasTalking().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '403',
      retryable: false,
    });
    const answerWithoutRecipients = (Message: string) => answer(201, { SMSMessageData: { Message, Recipients: [] } });
    answerWithoutRecipients('Sent to 1/1 Total Cost: KES 0.8000');
    await expect(openAfricasTalking().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      answerLost: true,
    });
    answerWithoutRecipients('InvalidSenderId');
    await expect(openAfricasTalking().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: 'InvalidSenderId',
      retryable: false,
    });
    answer(201, respond(405, 'InsufficientBalance'));
    await expect(openAfricasTalking().submit(createOutbound(), neverAborted)).rejects.toMatchObject({
      code: '405',
      retryable: true,
    });
    const form = { id: 'ATXid_1', status: 'Failed', phoneNumber: '+15005550010', failureReason: 'UserInBlackList' };
    expect(receiveCall(openAfricasTalking(), { kind: 'receipts', secret: PATH_SECRET, form }).receipts).toMatchObject([
      { carrierMessageId: 'ATXid_1', status: 'undelivered', errorCode: 'UserInBlackList' },
    ]);
  });
});
