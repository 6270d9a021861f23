import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addCarrier } from '../../../src/carriers/setup/carriers.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { VendorStub } from '../../support/carriers/vendor/vendor-stub.js';
import { createTestChannel } from '../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { accept, waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { PATH_SECRET, PUBLIC_URL } from './setup.js';

const api = suiteApp({ settings: { CARRIER_PRIVATE_HOSTS: '127.0.0.1' } });
const vendor = new VendorStub();
let account: TestAccount;
let owner: TestOperator;

beforeAll(async () => {
  await vendor.start();
  account = await createTestAccount(api.deps);
  owner = await createTestOperator(api);
  const kannel = { preset: 'kannel', baseUrl: vendor.url, username: 'user', password: 'kannel-password' };
  await addCarrier(api.deps.prisma, {
    name: 'kannel',
    type: 'http',
    settings: { ...kannel, publicUrl: PUBLIC_URL, callbackSecret: PATH_SECRET },
  });
  await api.deps.prisma.route.create({ data: { id: newId(), accountId: account.id, carriers: ['kannel'] } });
  await Promise.all([api.deps.carriers.reload(), api.deps.routing.reload()]);
});
afterAll(() => vendor.stop());

const callKannel = (path: string, method: 'GET' | 'POST' = 'GET') =>
  api.app.inject({ method, url: `/callbacks/http/kannel${path}` });

describe('an HTTP carrier', () => {
  it('an HTTP carrier sends messages and finds them by our IDs in receipts', async () => {
    vendor.respond = () => ({ status: 202, body: '0: Accepted for delivery' });
    const [id] = await accept(api.deps, account, { to: '40722000001' });
    await waitForAllMessages(api.deps, account.id, 'sent');
    const receiptUrl = new URL(String(vendor.lastRequest.query.get('dlr-url')).replace('%d', '1').replace('%A', 'ok'));
    const path = `${receiptUrl.pathname}${receiptUrl.search}`;
    expect((await api.app.inject({ method: 'GET', url: path })).statusCode).toBe(200);
    await waitForAllMessages(api.deps, account.id, 'delivered');
    const row = await api.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    expect(row).toMatchObject({ carrier: 'kannel', carrierMessageId: id });
  });

  it('an HTTP carrier delivers inbound messages to the channel of the number', async () => {
    const { channelId, phoneNumber } = await createTestChannel(api.deps, account, { kind: 'sms', carrier: 'kannel' });
    const query = `id=k-1&from=%2B40722000001&to=${phoneNumber}&text=Hall%C3%B6chen`;
    for (const _twice of [1, 2]) expect((await callKannel(`/inbound/${PATH_SECRET}?${query}`)).statusCode).toBe(200);
    await waitFor('the message', async () => (await api.deps.prisma.carrierCallback.count()) === 0);
    expect(await api.deps.prisma.inboundMessage.findMany({ where: { channelId } })).toMatchObject([
      { body: 'Hallöchen', carrierMessageId: 'k-1' },
    ]);
  });

  it('an HTTP carrier sends nothing while disabled, but applies receipts and inbound messages, including STOP', async () => {
    const { deps } = api;
    const ownAccount = await createTestAccount(deps);
    await deps.prisma.route.create({ data: { id: newId(), accountId: ownAccount.id, carriers: ['kannel'] } });
    await deps.routing.reload();
    const { channelId, phoneNumber } = await createTestChannel(deps, ownAccount, { kind: 'sms', carrier: 'kannel' });
    vendor.respond = () => ({ status: 202, body: '0: Accepted for delivery' });
    const [sentId] = await accept(deps, ownAccount, { to: '40722000011' });
    await waitForAllMessages(deps, ownAccount.id, 'sent');
    const requestsBefore = vendor.requests.length;
    try {
      expect((await owner.ask('PATCH', '/carriers/kannel', { isActive: false })).statusCode).toBe(200);
      await deps.carriers.reload();
      const [waitingId] = await accept(deps, ownAccount, { to: '40722000012' });
      expect((await callKannel(`/receipts/${PATH_SECRET}?message=${sentId}&status=1`)).statusCode).toBe(200);
      const stopQuery = `id=k-stop&from=%2B40722000011&to=${phoneNumber}&text=STOP`;
      expect((await callKannel(`/inbound/${PATH_SECRET}?${stopQuery}`)).statusCode).toBe(200);
      expect((await callKannel('/receipts/another-word-of-ours-1')).statusCode).toBe(403);
      const findMessage = (id?: string) => deps.prisma.message.findUniqueOrThrow({ where: { id } });
      await waitFor('the receipt to be applied', async () => (await findMessage(sentId)).status === 'delivered');
      await waitFor('the STOP to be applied', async () =>
        deps.prisma.optOut.findFirst({ where: { accountId: ownAccount.id, phone: '40722000011', isActive: true } }),
      );
      expect(await deps.prisma.inboundMessage.findMany({ where: { channelId } })).toMatchObject([{ body: 'STOP' }]);
      await waitFor('the message to wait', async () => (await findMessage(waitingId)).errorCode === 'UNKNOWN_CARRIER');
      expect(vendor.requests).toHaveLength(requestsBefore);
    } finally {
      await owner.ask('PATCH', '/carriers/kannel', { isActive: true });
      await deps.carriers.reload();
      await waitFor('the message to go out', () =>
        deps.prisma.message.findFirst({
          where: { accountId: ownAccount.id, recipient: '40722000012', status: 'sent' },
        }),
      );
    }
  });

  it('an HTTP carrier answers callbacks with 503 while it cannot be opened, so that the vendor repeats them', async () => {
    const { prisma } = api.deps;
    await prisma.carrier.create({
      data: { id: newId(), name: 'broken', type: 'http', settings: { preset: 'kannel' } },
    });
    await api.deps.carriers.reload();
    const response = await api.app.inject(`/callbacks/http/broken/receipts/${PATH_SECRET}?message=${newId()}&status=1`);
    expect(response.statusCode).toBe(503);
    await prisma.carrier.delete({ where: { name: 'broken' } });
  });

  it('an HTTP carrier refuses calls that are not from the vendor, and stores calls it cannot read', async () => {
    for (const path of ['/receipts', '/receipts/another-word-of-ours-1', '/events?x=1']) {
      expect((await callKannel(path)).statusCode, path).toBe(403);
    }
    expect((await api.app.inject(`/callbacks/http/nobody/receipts/${PATH_SECRET}`)).statusCode).toBe(404);
    expect((await callKannel(`/receipts/${PATH_SECRET}?message=${newId()}&status=77`)).statusCode).toBe(200);
    await waitFor('it to be kept', async () => (await api.deps.prisma.carrierCallback.count()) === 0);
    const { data } = (await owner.ask('GET', '/carriers/kannel/kept-reports')).json();
    expect(data).toMatchObject([{ kind: 'receipt:unknown', reason: 'unknown' }]);
  });

  it('an HTTP carrier answers Twilio in TwiML, because a plain text would be sent to the contact', async () => {
    const settings = { preset: 'twilio', baseUrl: vendor.url, accountSid: `AC${'0'.repeat(32)}`, authToken: 'tok' };
    await addCarrier(api.deps.prisma, { name: 'tw', type: 'http', settings: { ...settings, publicUrl: PUBLIC_URL } });
    await api.deps.carriers.reload();
    const fields = { Body: 'Hi', From: '+40722000001', MessageSid: 'SM1', To: '+15005550006' };
    const url = '/callbacks/http/tw/inbound';
    const signedText = `${PUBLIC_URL}${url}${Object.entries(fields).flat().join('')}`;
    const response = await api.app.inject({
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': createHmac('sha1', 'tok').update(signedText).digest('base64'),
      },
      payload: new URLSearchParams(fields).toString(),
    });
    expect(response).toMatchObject({ statusCode: 200, body: '<Response></Response>' });
    expect(response.headers['content-type']).toBe('text/xml; charset=utf-8');
  });

  it('an HTTP carrier gives up after two lost responses, without sending a third time', async () => {
    vendor.respond = () => 'cut';
    const otherAccount = await createTestAccount(api.deps);
    await api.deps.prisma.route.create({ data: { id: newId(), accountId: otherAccount.id, carriers: ['kannel'] } });
    await api.deps.routing.reload();
    vendor.requests.length = 0;
    const [id] = await accept(api.deps, otherAccount, { to: '40722000002' });
    const findMessage = () => api.deps.prisma.message.findUniqueOrThrow({ where: { id } });
    await waitFor('its end', async () => (await findMessage()).status === 'failed');
    expect(await findMessage()).toMatchObject({
      attempts: 2,
      maybeAccepted: true,
      refunded: false,
      errorCode: 'ANSWER_LOST',
    });
    expect(vendor.requests).toHaveLength(2);
  });
});

describe('a carrier saved by an earlier version with an unsupported pattern', () => {
  it('a carrier with an unsupported pattern from an earlier version keeps sending, stores receipts as unmatched, and is flagged in the console', async () => {
    const { prisma, carriers, routing } = api.deps;
    const receipts = { receiptId: 'id', receiptStatus: 'state', receiptStates: { done: 'delivered' } };
    const callbackSettings = { publicUrl: PUBLIC_URL, callbackSecret: PATH_SECRET, ...receipts };
    const settings = {
      url: `${vendor.url}/send`,
      json: { to: '{to}' },
      idPattern: '(?<=ID: )(\\d+)',
      ...callbackSettings,
    };
    await prisma.carrier.create({ data: { id: newId(), name: 'old', type: 'http', settings } });
    const ownAccount = await createTestAccount(api.deps);
    await prisma.route.create({ data: { id: newId(), accountId: ownAccount.id, carriers: ['old'] } });
    await Promise.all([carriers.reload(), routing.reload()]);
    try {
      vendor.respond = () => ({ status: 200, body: 'ID: 77' });
      const [id] = await accept(api.deps, ownAccount, { to: '40722000021' });
      await waitForAllMessages(api.deps, ownAccount.id, 'sent');
      const url = `/callbacks/http/old/receipts/${PATH_SECRET}`;
      const report = await api.app.inject({ method: 'POST', url, payload: { id: '77', state: 'done' } });
      expect(report.statusCode).toBe(200);
      await waitFor('the receipt to be stored', () =>
        prisma.earlyReceipt.findFirst({ where: { carrier: 'old', carrierMessageId: '77' } }),
      );
      expect(await prisma.message.findUniqueOrThrow({ where: { id } })).toMatchObject({ status: 'sent' });
      const carrierList = (await owner.ask('GET', '/carriers')).json().data;
      expect(carrierList.find(({ name }: { name: string }) => name === 'old').unsupported).toEqual([
        { field: 'idPattern', rule: expect.stringContaining('linear time') },
      ]);
    } finally {
      await prisma.route.deleteMany({ where: { accountId: ownAccount.id } });
      await prisma.carrier.delete({ where: { name: 'old' } });
      await prisma.earlyReceipt.deleteMany({ where: { carrier: 'old' } });
      await Promise.all([carriers.reload(), routing.reload()]);
    }
  });
});

describe('in the console', () => {
  it('a preset is listed with its settings, and a carrier with the URLs to enter at the vendor', async () => {
    const types = (await owner.ask('GET', '/carriers/types')).json().data;
    const http = types.find(({ type }: { type: string }) => type === 'http');
    const twilio = http.presets.find(({ name }: { name: string }) => name === 'twilio');
    expect(twilio).toMatchObject({ title: 'Twilio', help: expect.stringContaining('Account SID') });
    const names = twilio.settings.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['accountSid', 'authToken', 'baseUrl', 'publicUrl']));
    expect(names).not.toContain('url');
    const carriers = (await owner.ask('GET', '/carriers')).json().data;
    expect(carriers[0]).toMatchObject({
      settings: { preset: 'kannel', username: 'user', password: '***', callbackSecret: '***' },
      entries: [
        { what: 'URL for receipts', value: `${PUBLIC_URL}/callbacks/http/kannel/receipts/{callbackSecret}` },
        { what: 'URL for messages', value: `${PUBLIC_URL}/callbacks/http/kannel/inbound/{callbackSecret}` },
      ],
    });
  });

  it('a test message shows its request and response without secrets', async () => {
    vendor.requests.length = 0;
    vendor.respond = () => ({ status: 403, body: 'Authorization failed for user with kannel-password' });
    const message = { from: 'Heliograph', to: '+40722000003', text: 'Hello' };
    const { data } = (await owner.ask('POST', '/carriers/kannel/try', message)).json();
    expect(data).toMatchObject({
      ok: false,
      error: { code: 'HTTP_403', retryable: true },
      calls: [{ method: 'GET', status: 403, answer: 'Authorization failed for user with ***' }],
    });
    expect(JSON.stringify(data)).not.toMatch(/kannel-password|a-word-of-our-own/);
    expect(vendor.requests).toHaveLength(1);
    const auditLines = await api.deps.prisma.auditLine.findMany({ where: { action: 'carrier.try' } });
    expect(auditLines).toMatchObject([{ subject: 'kannel', after: { from: 'Heliograph', to: '…003' } }]);
    for (const [field, value] of [
      ['to', '12'],
      ['from', ''],
      ['text', ''],
    ]) {
      const refusal = await owner.ask('POST', '/carriers/kannel/try', { ...message, [field as string]: value });
      expect(refusal.statusCode, field).toBe(400);
      expect(refusal.json().error.details, field).toMatchObject([{ field }]);
    }
    expect((await owner.ask('POST', '/carriers/nobody/try', message)).statusCode).toBe(404);
    const viewer = await createTestOperator(api, { role: 'viewer' });
    expect((await viewer.ask('POST', '/carriers/kannel/try', message)).statusCode).toBe(403);
    expect(vendor.requests).toHaveLength(1);
  });

  it('changing the preset requires all secrets again, and turns no stored value into a secret', async () => {
    const twilio = {
      preset: 'twilio',
      baseUrl: vendor.url,
      accountSid: `AC${'0'.repeat(32)}`,
      authToken: 'tok-secret',
    };
    await owner.ask('POST', '/carriers', { name: 'moved', type: 'http', settings: twilio, isActive: false });
    const otherPreset = { set: { preset: 'plivo', authId: 'MAXXXXXXXXXXXXXXXXXX' }, unset: ['accountSid'] };
    const refusal = await owner.ask('PATCH', '/carriers/moved', otherPreset);
    expect(refusal.statusCode).toBe(400);
    expect(refusal.json().error.details).toMatchObject([{ field: 'authToken' }]);
    const envReferenceSettings = {
      preset: 'kannel',
      baseUrl: vendor.url,
      username: 'a',
      password: 'b',
      path: '/x',
      smscId: 'env:PATH',
    };
    await owner.ask('POST', '/carriers', {
      name: 'sneaking',
      type: 'http',
      settings: envReferenceSettings,
      isActive: false,
    });
    const movedSecret = { set: { preset: 'jasmin', password: 'env:PATH' }, unset: ['path', 'smscId'] };
    const response = await owner.ask('PATCH', '/carriers/sneaking', movedSecret);
    expect(response.json().error.details).toMatchObject([{ field: 'password' }]);
  });
});
