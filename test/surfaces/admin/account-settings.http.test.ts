import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const api = suiteApp();
let owner: TestOperator;
let accountOwner: TestOperator;
let id: string;
beforeAll(async () => {
  owner = await createTestOperator(api);
  id = (await createTestAccount(api.deps, { name: 'Lighthouse', creditMicros: 1_000_000n })).id;
  accountOwner = await createTestOperator(api, { accountId: id });
});

const getSettings = async () => (await accountOwner.ask('GET', `/accounts/${id}/settings`)).json().data;
const listActions = async (accountId: string) => {
  const auditEntries = await api.deps.prisma.auditLine.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
  return auditEntries.map(({ action }) => action);
};

describe('an account', () => {
  it('is created without credit, and recorded in the audit log', async () => {
    const { data } = (await owner.ask('POST', '/accounts', { name: ' New ' })).json();
    expect(data).toMatchObject({ name: 'New', balance: '0.00', rateCard: 'standard', isActive: true, senderIds: [] });
    expect(await listActions(data.id)).toEqual(['account.create']);
    expect((await owner.ask('POST', '/accounts', { name: ' ' })).json().error.details).toMatchObject([
      { field: 'name' },
    ]);
  });

  it('is credited once per Idempotency-Key, and a credit is reversed with a reason', async () => {
    const { id: otherId } = await createTestAccount(api.deps, { name: 'Once', creditMicros: 0n });
    const postCredit = (path: string, key: string, body: object) =>
      api.app.inject({
        method: 'POST',
        url: `/admin/v1/accounts/${otherId}/credits${path}`,
        headers: { ...owner.headers, 'idempotency-key': key },
        payload: body,
      });
    const firstResponse = await postCredit('', 'a', { amount: '2', note: 'paid' });
    expect([firstResponse.statusCode, firstResponse.json().data.balance]).toEqual([200, '2.00']);
    await postCredit('', 'b', { amount: '1' });
    expect((await postCredit('', 'a', { note: 'paid', amount: '2' })).json()).toEqual(firstResponse.json());
    const twentyResponses = await Promise.all(Array.from({ length: 20 }, () => postCredit('', 'c', { amount: '4' })));
    expect(new Set(twentyResponses.map(({ body }) => body)).size).toBe(1);
    const conflictResponse = await postCredit('', 'a', { amount: '3', note: 'paid' });
    expect([conflictResponse.statusCode, conflictResponse.json().error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
    expect((await postCredit('/correct', 'd', { amount: '2', note: ' ' })).json().error.details).toMatchObject([
      { field: 'note' },
    ]);
    expect((await postCredit('/correct', 'e', { amount: '8', note: 'why' })).statusCode).toBe(400);
    for (const _ of [1, 2]) {
      const correctionResponse = await postCredit('/correct', 'f', { amount: '2', note: 'a slip' });
      expect(correctionResponse.json().data).toMatchObject({ amount: '-2.00', balance: '5.00' });
    }
    const auditEntries = await api.deps.prisma.auditLine.findMany({
      where: { subject: otherId },
      orderBy: { id: 'asc' },
    });
    const creditActions = auditEntries.map(({ action }) => action).filter((action) => action !== 'account.create');
    expect(creditActions).toEqual(['account.credit', 'account.credit', 'account.credit', 'account.correct']);
  });

  it('gets credit with a note, and its ledger is read page by page', async () => {
    for (const amount of ['2', '3.5']) {
      const creditResponse = await owner.ask('POST', `/accounts/${id}/credits`, { amount, note: `invoice ${amount}` });
      expect(creditResponse.statusCode).toBe(200);
    }
    const firstPage = (await accountOwner.ask('GET', `/accounts/${id}/ledger?limit=2`)).json();
    expect(firstPage.data).toMatchObject([
      { kind: 'credit', amount: '3.50', balanceAfter: '6.50', note: 'invoice 3.5' },
      { amount: '2.00', balanceAfter: '3.00' },
    ]);
    const secondPage = (
      await accountOwner.ask('GET', `/accounts/${id}/ledger?limit=2&cursor=${firstPage.next}`)
    ).json();
    expect(secondPage).toMatchObject({ data: [{ amount: '1.00' }], next: null });
    const chargesResponse = await accountOwner.ask('GET', `/accounts/${id}/ledger?kind=charge`);
    expect(chargesResponse.json()).toEqual({ data: [], next: null });
    const refusal = await owner.ask('POST', `/accounts/${id}/credits`, { amount: '0' });
    expect(refusal.json().error.details).toMatchObject([{ field: 'amount' }]);
  });

  it('is disabled, limited to sender IDs and moved to another rate card by installation owners', async () => {
    await owner.ask('POST', '/rates', { id: 'cheap', currency: 'USD', sms: '0.001', whatsapp: '0.001' });
    const change = { isActive: false, senderIds: ['Shop'], rateCard: 'cheap', defaultCountry: 'DE' };
    expect((await owner.ask('PATCH', `/accounts/${id}`, change)).statusCode).toBe(200);
    expect(await getSettings()).toMatchObject(change);
    await owner.ask('PATCH', `/accounts/${id}`, { isActive: true });
    expect(await getSettings()).toMatchObject({ ...change, isActive: true });
    const refusal = await owner.ask('PATCH', `/accounts/${id}`, { defaultCountry: 'XX' });
    expect(refusal.json().error.details).toMatchObject([{ field: 'defaultCountry' }]);
    await owner.ask('PATCH', `/accounts/${id}`, { defaultCountry: null });
    expect(await getSettings()).toMatchObject({ ...change, isActive: true, defaultCountry: null });
  });

  it('has its low balance threshold set by its own owners, who can change nothing else', async () => {
    const settingsResponse = await accountOwner.ask('PATCH', `/accounts/${id}/settings`, { lowBalance: '5' });
    expect(settingsResponse.json().data).toMatchObject({ lowBalance: '5.00' });
    await accountOwner.ask('PATCH', `/accounts/${id}/settings`, { lowBalance: null });
    expect(await getSettings()).toMatchObject({ lowBalance: null, stopScope: 'all' });
    await accountOwner.ask('PATCH', `/accounts/${id}/settings`, { stopScope: 'marketing' });
    expect(await getSettings()).toMatchObject({ lowBalance: null, stopScope: 'marketing' });
    for (const frequencyCap of [{ messages: 3, days: 7 }, null]) {
      await accountOwner.ask('PATCH', `/accounts/${id}/settings`, { frequencyCap });
      expect(await getSettings()).toMatchObject({ stopScope: 'marketing', frequencyCap });
    }
    const wrongCap = { frequencyCap: { messages: 0, days: 7 } };
    const wrongResponse = await accountOwner.ask('PATCH', `/accounts/${id}/settings`, wrongCap);
    expect(wrongResponse.json().error.message).toContain('frequencyCap');
    for (const [method, path, body] of [
      ['PATCH', '', { isActive: false }],
      ['POST', '/credits', { amount: '1000' }],
      ['POST', '/channels', { kind: 'sms', name: 'x', phoneNumber: '4915123456789', carrier: 'simulator' }],
    ] as const) {
      expect((await accountOwner.ask(method, `/accounts/${id}${path}`, body)).statusCode, path).toBe(403);
    }
    const otherOperator = await createTestOperator(api, { accountId: (await createTestAccount(api.deps)).id });
    for (const path of ['settings', 'ledger', 'channels']) {
      expect((await otherOperator.ask('GET', `/accounts/${id}/${path}`)).statusCode, path).toBe(404);
    }
    expect((await otherOperator.ask('POST', `/accounts/${id}/credits`, { amount: '1' })).statusCode).toBe(404);
  });
});

describe('a channel of an account', () => {
  it('is created, disabled, moved to another carrier, and resumed after its carrier paused it', async () => {
    const body = { kind: 'whatsapp', name: 'Support', phoneNumber: '15005550111', carrier: 'simulator' };
    const { data } = (await owner.ask('POST', `/accounts/${id}/channels`, body)).json();
    expect(data).toMatchObject({ ...body, isActive: true, isDefault: false, health: 'healthy', pausedAt: null });
    const path = `/accounts/${id}/channels/${data.id}`;
    expect((await accountOwner.ask('PATCH', path, { isActive: false })).json().data).toMatchObject({ isActive: false });
    expect((await owner.ask('PUT', `${path}/carrier`, { carrier: 'nobody' })).json().error.details).toMatchObject([
      { field: 'carrier' },
    ]);

    const pause = { pausedAt: new Date(), pauseCode: '131031', pauseReason: 'Account locked' };
    await api.deps.prisma.channel.update({ where: { id: data.id }, data: pause });
    const [listedChannel] = (await accountOwner.ask('GET', `/accounts/${id}/channels`)).json().data;
    expect(listedChannel).toMatchObject({ pauseCode: '131031', pauseReason: 'Account locked' });
    expect((await accountOwner.ask('POST', `${path}/resume`, {})).json().data).toEqual({ wasPaused: true });
    expect((await accountOwner.ask('POST', `${path}/resume`, {})).json().data).toEqual({ wasPaused: false });
    expect((await listActions(id)).filter((action) => action.startsWith('channel'))).toEqual([
      'channel.create',
      'channel.change',
      'channel.resume',
    ]);
    const { phoneNumber } = body;
    expect((await accountOwner.ask('POST', `${path}/delete`, { phoneNumber })).statusCode).toBe(403);
    const wrongNumberResponse = await owner.ask('POST', `${path}/delete`, { phoneNumber: '15005550112' });
    expect(wrongNumberResponse.json().error.details).toMatchObject([{ field: 'phoneNumber' }]);
    const noDependents = { keys: 0, automations: 0, runs: 0, webhooks: 0 };
    expect((await owner.ask('POST', `${path}/delete`, { phoneNumber })).json().data).toEqual(noDependents);
    expect((await owner.ask('POST', `${path}/delete`, { phoneNumber })).statusCode).toBe(404);
    const channels = (await accountOwner.ask('GET', `/accounts/${id}/channels`)).json().data as { id: string }[];
    expect(channels.map((remaining) => remaining.id)).not.toContain(data.id);
    const foreignPath = `/accounts/${id}/channels/${newId()}`;
    expect((await accountOwner.ask('PATCH', foreignPath, { isActive: false })).statusCode).toBe(404);
  });
});
