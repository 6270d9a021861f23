import { describe, expect, it } from 'vitest';
import type { Prisma } from '../../../src/platform/generated/prisma/client.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { forSuite } from '../../support/for-suite.js';
import { sharedApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV1, expectErrorV2, get, ISO_MILLISECONDS, SMS, sendSms } from './requests.js';

const heliograph = sharedApp();
const account = forSuite(() => createTestAccount(heliograph.deps));

const getStatus = (id: string, caller = account) => get(heliograph.app, `/v1.0/sms/status/${id}`, caller);

async function storeMessage(fields: Partial<Prisma.MessageUncheckedCreateInput>): Promise<string> {
  const { id } = await heliograph.deps.prisma.message.create({
    data: {
      id: newId(),
      accountId: account.id,
      createdAt: new Date('2026-01-01T00:00:00.001Z'),
      validUntil: new Date('2026-01-03T00:00:00.000Z'),
      priceMicros: 10_000n,
      surface: 'a',
      kind: 'sms',
      priority: 0,
      parts: 1,
      carrier: 'simulator',
      sender: 'Heliograph',
      recipient: '15005550111',
      body: 'Hello',
      ...fields,
    },
  });
  return id;
}

describe('the SMS status response', () => {
  it("has the delivery status, at last 'delivered'", async () => {
    const { message_id } = (await sendSms(heliograph.app, account, SMS)).json();
    const response = await waitFor('the message to be delivered', async () => {
      const response = await getStatus(message_id);
      return response.json().status === 'delivered' && response;
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({
      status: 'delivered',
      message_id,
      to: SMS.to,
      timestamp: expect.stringMatching(ISO_MILLISECONDS),
    });
  });

  it('has the message_id of the send, even if requested in upper case', async () => {
    const id = await storeMessage({});
    expect((await getStatus(id)).json().message_id).toBe(id);
    expect((await getStatus(id.toUpperCase())).json().message_id).toBe(id);
  });

  it('has the recipient as the caller wrote it', async () => {
    expect((await getStatus(await storeMessage({}))).json().to).toBe('15005550111');
    expect((await getStatus(await storeMessage({ recipientPlus: true }))).json().to).toBe('+15005550111');
  });

  it.each([
    ['queued', {}, '2026-01-01T00:00:00.001Z'],
    ['sending', { sendingAt: new Date('2026-01-01T00:00:01.002Z') }, '2026-01-01T00:00:01.002Z'],
    ['sent', { sentAt: new Date('2026-01-01T00:00:02.003Z') }, '2026-01-01T00:00:02.003Z'],
    ['delivered', { deliveredAt: new Date('2026-01-01T00:00:03.004Z') }, '2026-01-01T00:00:03.004Z'],
    ['read', { readAt: new Date('2026-01-01T00:00:04.005Z') }, '2026-01-01T00:00:04.005Z'],
    ['undelivered', { endedAt: new Date('2026-01-01T00:00:05.006Z') }, '2026-01-01T00:00:05.006Z'],
    ['failed', { endedAt: new Date('2026-01-01T00:00:05.006Z') }, '2026-01-01T00:00:05.006Z'],
    ['rejected', { endedAt: new Date('2026-01-01T00:00:05.006Z') }, '2026-01-01T00:00:05.006Z'],
    ['expired', { endedAt: new Date('2026-01-01T00:00:05.006Z') }, '2026-01-01T00:00:05.006Z'],
    ['canceled', { endedAt: new Date('2026-01-01T00:00:05.006Z') }, '2026-01-01T00:00:05.006Z'],
  ] as const)('has the time of the last status change as timestamp: %s', async (status, times, timestamp) => {
    const id = await storeMessage({ status, ...times });
    expect((await getStatus(id)).json()).toEqual({ status, message_id: id, to: '15005550111', timestamp });
  });
});

describe('GET /v1.0/sms/status/{message_id}', () => {
  it('returns the status of WhatsApp messages sent by Surface A', async () => {
    const id = await storeMessage({ kind: 'whatsapp', status: 'sent', sentAt: new Date() });
    expect((await getStatus(id)).json()).toMatchObject({ status: 'sent', message_id: id });
  });

  it('returns 404 for messages of Surface B', async () => {
    expectErrorV1(await getStatus(await storeMessage({ surface: 'b' })), 404);
  });

  it("returns the same 404 for another account's message as for an unknown one", async () => {
    const id = await storeMessage({});
    const otherAccount = await createTestAccount(heliograph.deps);
    const foreign = await getStatus(id, otherAccount);
    expectErrorV1(foreign, 404);
    expect(foreign.body).toBe((await getStatus(newId(), otherAccount)).body);
  });

  it.each([newId(), 'x', '1', '%27%20OR%201=1', 'a'.repeat(256), 'a'.repeat(300), '../../health/live', ''])(
    'returns 404 for an unknown or malformed ID: %s',
    async (id) => {
      expectErrorV1(await getStatus(id), 404);
    },
  );
});

describe('GET /v2/sms/status/{message_id}', () => {
  it('returns the same as version 1.0, with errors in the format of version 2', async () => {
    const id = await storeMessage({ status: 'delivered', deliveredAt: new Date() });
    const response = await get(heliograph.app, `/v2/sms/status/${id}`, account);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual((await getStatus(id)).json());
    expectErrorV2(await get(heliograph.app, `/v2/sms/status/${newId()}`, account), 404, []);
    const otherAccount = await createTestAccount(heliograph.deps);
    expectErrorV2(await get(heliograph.app, `/v2/sms/status/${id}`, otherAccount), 404, []);
  });
});
