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

const { answer, open, stub } = suiteVendor();

describe('the preset infobip', () => {
  const openInfobip = () => open({ preset: 'infobip', apiKey: 'the-key', ...CALLBACK_SETTINGS });

  it('the preset infobip sends requests as documented', async () => {
    const status = { groupId: 1, groupName: 'PENDING', id: 26, name: 'PENDING_ACCEPTED', description: 'sent' };
    answer(200, { bulkId: 'b', messages: [{ messageId: MESSAGE_ID, status, destination: '15005550010' }] });
    expect(await openInfobip().submit(createOutbound(), neverAborted)).toEqual({ carrierMessageId: MESSAGE_ID });
    expect(stub.lastRequest).toMatchObject({ method: 'POST', path: '/sms/3/messages' });
    expect(stub.lastRequest.headers.authorization).toBe('App the-key');
    expect(JSON.parse(stub.lastRequest.body)).toEqual({
      messages: [
        {
          sender: 'Heliograph',
          destinations: [{ to: '15005550010', messageId: MESSAGE_ID }],
          content: { text: TEXT },
          options: { validityPeriod: { amount: 3600, timeUnit: 'SECONDS' } },
          webhooks: { delivery: { url: secretUrl } },
        },
      ],
    });
  });

  it('the preset infobip requests no report without a URL for it', async () => {
    answer(200, { messages: [{ messageId: 'm', status: { groupName: 'PENDING' } }] });
    await open({ preset: 'infobip', apiKey: 'the-key' }).submit(createOutbound(), neverAborted);
    expect(JSON.parse(stub.lastRequest.body).messages[0]).not.toHaveProperty('webhooks');
  });

  it.each([
    [200, { messages: [{ status: { groupName: 'REJECTED', name: 'REJECTED_DESTINATION' } }] }, { retryable: false }],
    [
      200,
      { messages: [{ status: { groupName: 'REJECTED', name: 'REJECTED_NOT_ENOUGH_CREDITS' } }] },
      { retryable: true },
    ],
    [
      401,
      { requestError: { serviceException: { messageId: 'UNAUTHORIZED', text: 'Invalid login' } } },
      { retryable: true },
    ],
    [400, { errorCode: 'E400', description: 'Request is invalid.' }, { code: 'E400', retryable: false }],
  ])('the preset infobip reads status %s with %j', async (status, body, error) => {
    answer(status, body);
    await expect(openInfobip().submit(createOutbound(), neverAborted)).rejects.toMatchObject(error);
  });

  it('the preset infobip reads several receipts and messages in one call', () => {
    const createReceiptItem = (messageId: string, groupName: string, error: object) => ({
      messageId,
      doneAt: '2026-11-24T11:59:00.000+0000',
      status: { groupName, name: groupName },
      error,
    });
    const results = [
      createReceiptItem('m1', 'DELIVERED', { name: 'NO_ERROR' }),
      createReceiptItem('m2', 'UNDELIVERABLE', { name: 'EC_ABSENT_SUBSCRIBER', description: 'Absent' }),
      createReceiptItem('m3', 'PENDING', {}),
    ];
    const reports = receiveCall(openInfobip(), { kind: 'receipts', json: { results }, secret: PATH_SECRET });
    expect(reports).toMatchObject({
      receipts: [
        { carrierMessageId: 'm1', status: 'delivered', occurredAt: new Date('2026-11-24T11:59:00Z') },
        { carrierMessageId: 'm2', status: 'undelivered', errorCode: 'EC_ABSENT_SUBSCRIBER', errorMessage: 'Absent' },
      ],
      unmatched: [],
    });
    const inbound = {
      messageId: 'i1',
      from: '40722000001',
      to: '15005550006',
      text: 'Hello',
      receivedAt: '2026-11-24T11:00:00Z',
    };
    expect(
      receiveCall(openInfobip(), { kind: 'inbound', json: { results: [inbound] }, secret: PATH_SECRET }).inbound,
    ).toMatchObject([{ carrierMessageId: 'i1', body: 'Hello', receivedAt: new Date('2026-11-24T11:00:00Z') }]);
  });
});
