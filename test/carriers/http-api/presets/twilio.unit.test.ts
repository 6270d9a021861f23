import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createOutbound,
  MESSAGE_ID,
  NOW,
  neverAborted,
  PUBLIC_URL,
  receiptUrl,
  receiveCall,
  suiteVendor,
  TEXT,
} from '../setup.js';

const { answer, open, stub } = suiteVendor();

describe('the preset twilio', () => {
  const ACCOUNT = `AC${'0'.repeat(32)}`;
  const openTwilio = () =>
    open({ preset: 'twilio', accountSid: ACCOUNT, authToken: 'the-auth-token', publicUrl: PUBLIC_URL });

  it('the preset twilio sends requests as documented', async () => {
    answer(201, { sid: 'SM1', status: 'queued', error_code: null });
    expect(await openTwilio().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: 'SM1' });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: `/2010-04-01/Accounts/${ACCOUNT}/Messages.json` });
    expect(stub.lastRequest.headers.authorization).toBe(
      `Basic ${Buffer.from(`${ACCOUNT}:the-auth-token`).toString('base64')}`,
    );
    expect(stub.lastForm).toEqual({
      To: '+15005550010',
      From: 'Heliograph',
      Body: TEXT,
      StatusCallback: receiptUrl,
      ValidityPeriod: '3600',
    });
  });

  it('the preset twilio can send with a messaging service and an API key, and requests no receipts without a URL', async () => {
    answer(201, { sid: 'SM1' });
    const service = { messagingServiceSid: `MG${'1'.repeat(32)}`, apiKeySid: 'SK1', apiKeySecret: 'key-secret' };
    const distantValidity = new Date(NOW.getTime() + 80_000_000);
    const serviceCarrier = open({ preset: 'twilio', accountSid: ACCOUNT, authToken: 'the-auth-token', ...service });
    await serviceCarrier.submit(createOutbound({ validUntil: distantValidity }), neverAborted);
    expect(stub.lastRequest.headers.authorization).toBe(`Basic ${Buffer.from('SK1:key-secret').toString('base64')}`);
    expect(stub.lastForm).toEqual({
      To: '+15005550010',
      MessagingServiceSid: service.messagingServiceSid,
      Body: TEXT,
      ValidityPeriod: '36000',
    });
  });

  it.each([
    [400, 21211, { code: '21211', retryable: false, answerLost: false }],
    [400, 30001, { code: '30001', retryable: true }],
    [400, 21611, { code: '21611', retryable: true, answerLost: false }],
    [400, 63038, { code: '63038', retryable: true }],
    [429, 20429, { code: '20429', retryable: true }],
    [401, 20003, { code: '20003', retryable: true }],
    [400, 30002, { code: '30002', retryable: true }],
    [500, 77777, { code: 'BAD_ANSWER', retryable: true, answerLost: true }],
  ])('the preset twilio reads status %s with code %s', async (status, code, error) => {
    answer(status, { code, message: 'words', more_info: '…', status });
    await expect(openTwilio().submit(createOutbound(), neverAborted)).rejects.toMatchObject(error);
  });

  // The signature was computed with `getExpectedTwilioSignature` of the npm package twilio 6.2.0.
  const form = {
    MessageSid: `SM${'1'.repeat(32)}`,
    MessageStatus: 'delivered',
    To: '+15005550010',
    From: '+15005550006',
    ErrorCode: '',
  };
  const signature = { 'x-twilio-signature': '0ShxDRTND+TxE3E3Pnlye+3TWy4=' };
  const query = `message=${MESSAGE_ID}`;

  it('the preset twilio accepts receipts signed by Twilio, and answers in TwiML', () => {
    const {
      receipts,
      unmatched,
      answer: said,
    } = receiveCall(openTwilio(), { kind: 'receipts', query, form, headers: signature });
    expect(receipts).toEqual([
      { carrier: 'v', carrierMessageId: form.MessageSid, status: 'delivered', occurredAt: NOW },
    ]);
    expect(unmatched).toEqual([]);
    expect(said).toBe('<Response></Response>');
  });

  it('the preset twilio refuses calls that were changed, are unsigned, or were signed for another URL', () => {
    const changedForm = { ...form, MessageStatus: 'failed' };
    for (const call of [
      { form: changedForm, headers: signature, query },
      { form, query },
      { form, headers: signature, query: 'message=other' },
    ]) {
      expect(() => receiveCall(openTwilio(), { kind: 'receipts', ...call })).toThrow(/The call is not signed/);
    }
  });

  it('the preset twilio refuses a non-form body without a signed hash, even if signed form fields are in the URL', () => {
    const signedFields = Object.entries(form).sort().flat().join('');
    const json = { MessageSid: form.MessageSid, MessageStatus: 'failed' };
    const forged = { kind: 'receipts', query: `${query}${signedFields}`, json, headers: signature } as const;
    expect(() => receiveCall(openTwilio(), forged)).toThrow(/The call is not signed/);
  });

  it('the preset twilio accepts signatures over the URL with its port, which Twilio sometimes uses', () => {
    const fields = { MessageSid: 'SM2', From: '+40722000001', To: '+15005550006', Body: 'Hello' };
    const signedText = `${PUBLIC_URL}:443/callbacks/http/v/inbound${Object.entries(fields).sort().flat().join('')}`;
    const headers = { 'x-twilio-signature': createHmac('sha1', 'the-auth-token').update(signedText).digest('base64') };
    const { inbound } = receiveCall(openTwilio(), { kind: 'inbound', form: fields, headers });
    expect(inbound).toEqual([
      { carrier: 'v', carrierMessageId: 'SM2', from: '40722000001', to: '15005550006', body: 'Hello', receivedAt: NOW },
    ]);
  });

  it('the preset twilio reports why a message failed, and stores unknown states as unmatched', () => {
    const sign = (fields: Record<string, string>) => ({
      'x-twilio-signature': createHmac('sha1', 'the-auth-token')
        .update(`${PUBLIC_URL}/callbacks/http/v/receipts${Object.entries(fields).sort().flat().join('')}`)
        .digest('base64'),
    });
    const failedReceipt = { MessageSid: 'SM3', MessageStatus: 'undelivered', ErrorCode: '30005' };
    expect(
      receiveCall(openTwilio(), { kind: 'receipts', form: failedReceipt, headers: sign(failedReceipt) }).receipts,
    ).toMatchObject([
      { status: 'undelivered', errorCode: '30005', errorMessage: 'Twilio reports undelivered, code 30005.' },
    ]);
    const unknownReceipt = { MessageSid: 'SM3', MessageStatus: 'teleported' };
    expect(
      receiveCall(openTwilio(), { kind: 'receipts', form: unknownReceipt, headers: sign(unknownReceipt) }),
    ).toMatchObject({
      receipts: [],
      unmatched: [{ reportType: 'receipt', reason: 'unknown' }],
    });
  });
});
