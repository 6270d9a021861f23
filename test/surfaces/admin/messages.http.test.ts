import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { sendSms, waitForStatus } from '../../support/messages.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp();
let account: TestAccount;
let viewer: TestOperator;
let developer: TestOperator;
/** Message IDs in order of acceptance. */
let ids: string[];

const list = async (query = '') => {
  const response = await viewer.ask('GET', `/accounts/${account.id}/messages${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json() as { data: { id: string }[]; next: string | null; searchedTo: string | null };
};
const findIndexes = async (query: string) => (await list(query)).data.map(({ id }) => ids.indexOf(id));
const show = (id: string, caller = viewer) => caller.ask('GET', `/accounts/${account.id}/messages/${id}`);
const cancel = (id: string, caller = developer) =>
  caller.ask('POST', `/accounts/${account.id}/messages/${id}/cancel`, {});

const sendV2 = async (body: object): Promise<string> => {
  const payload = { from: 'Heliograph', message: 'Hello', ...body };
  const headers = { ...account.headers, 'x-request-id': 'shop-1' };
  const response = await heliograph.app.inject({ method: 'POST', url: '/v2/send', headers, payload });
  expect(response.statusCode, response.body).toBe(200);
  return response.json().data[0].message_id;
};

beforeAll(async () => {
  account = await createTestAccount(heliograph.deps);
  viewer = await createTestOperator(heliograph, { role: 'viewer', accountId: account.id });
  developer = await createTestOperator(heliograph, { role: 'developer', accountId: account.id });
  ids = [
    (await sendSms(heliograph, account, { to: '15005550111' })).message_id,
    await sendV2({ to: '15005550002', reference: 'order-1' }),
    await sendV2({ to: '447911123456', scheduled_at: new Date(Date.now() + 3_600_000).toISOString() }),
  ];
  await waitForStatus(heliograph, [ids[0] as string], 'delivered');
  await waitForStatus(heliograph, [ids[1] as string], 'undelivered');
});

describe('GET /admin/v1/accounts/:accountId/messages', () => {
  it.each([
    ['', [2, 1, 0]],
    ['?to=%2B1%20(500)%20555-0111', [0]],
    ['?to=1500*', [1, 0]],
    ['?to=*3456', [2]],
    ['?to=*0002&status=delivered', []],
    ['?status=queued', [2]],
    ['?reference=order-1', [1]],
    ['?kind=whatsapp', []],
    ['?carrier=simulator&to=15005550002', [1]],
    ['?carrier=other', []],
    ['?createdTo=2020-01-01T00:00:00Z', []],
    ['?channelId=0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55', []],
  ])('%s finds %j', async (query, expected) => {
    expect(await findIndexes(query)).toEqual(expected);
  });

  it("finds a message by its ID, but not by the ID of another account's message", async () => {
    expect(await findIndexes(`?messageId=${ids[1]}`)).toEqual([1]);
    const otherAccount = await createTestAccount(heliograph.deps);
    const otherMessageId = (await sendSms(heliograph, otherAccount)).message_id;
    expect((await list(`?messageId=${otherMessageId}`)).data).toEqual([]);
    expect((await list('?messageId=no-id')).data).toEqual([]);
  });

  it('continues by cursor, and returns how far back it searched', async () => {
    const firstPage = await list('?limit=2');
    expect(firstPage.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(Date.parse(firstPage.searchedTo ?? '')).toBeLessThan(Date.now());
    const secondPage = await list(`?limit=2&cursor=${firstPage.next}`);
    expect(secondPage.data.map(({ id }) => id)).toEqual([ids[0]]);
  });

  it.each([
    ['?to=abc', 'to'],
    ['?to=15*5', 'to'],
    ['?to=*', 'to'],
    ['?status=lost', 'status'],
    ['?kind=fax', 'kind'],
    ['?channelId=1', 'channelId'],
    ['?createdFrom=yesterday', 'createdFrom'],
    ['?createdFrom=0000-01-01T00:00:00Z', 'createdFrom'],
    ['?createdTo=9999-12-31T23:59:59-14:00', 'createdTo'],
  ])('refuses %s with a 400 that names %s', async (query, field) => {
    const response = await viewer.ask('GET', `/accounts/${account.id}/messages${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toMatchObject([{ field }]);
  });
});

describe('GET /admin/v1/accounts/:accountId/messages/:messageId', () => {
  it('shows the history of a delivered SMS step by step', async () => {
    const { data } = (await show(ids[0] as string)).json();
    expect(data).toMatchObject({ id: ids[0], status: 'delivered', price: 0.01, refunded: false, mayBeCanceled: false });
    expect(data.timeline.map(({ type }: { type: string }) => type)).toEqual([
      'accepted',
      'claimed',
      'sent',
      'delivered',
    ]);
    expect(data.timeline[2]).toMatchObject({ carrier: 'simulator', status: 'sent' });
  });

  it('shows why a message failed', async () => {
    const { data } = (await show(ids[1] as string)).json();
    expect(data).toMatchObject({ reference: 'order-1', requestId: 'shop-1', error: { code: 'UNREACHABLE' } });
    expect(data.timeline.at(-1)).toMatchObject({
      type: 'ended',
      status: 'undelivered',
      error: { code: 'UNREACHABLE' },
    });
  });

  it('returns 404 for a message the account does not have', async () => {
    const otherAccount = await createTestAccount(heliograph.deps);
    const otherMessageId = (await sendSms(heliograph, otherAccount)).message_id;
    for (const id of [otherMessageId, 'x']) expect((await show(id)).statusCode).toBe(404);
  });
});

describe('POST /admin/v1/accounts/:accountId/messages/:messageId/cancel', () => {
  it('cancels and refunds a queued message, and audits it', async () => {
    const id = ids[2] as string;
    expect((await show(id)).json().data.mayBeCanceled).toBe(true);
    const response = await cancel(id);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json().data).toMatchObject({ status: 'canceled', refunded: true, mayBeCanceled: false });
    const types = response.json().data.timeline.map(({ type }: { type: string }) => type);
    expect(types).toEqual(expect.arrayContaining(['accepted', 'scheduled', 'ended', 'refunded']));
    const auditEntry = await heliograph.deps.prisma.auditLine.findFirst({
      where: { action: 'message.cancel', subject: id },
    });
    expect(auditEntry).toMatchObject({ accountId: account.id, actorId: developer.id, after: { status: 'canceled' } });
    expect((await cancel(id)).statusCode).toBe(409);
  });

  it('returns 403 for a viewer', async () => {
    expect((await cancel(ids[0] as string, viewer)).statusCode).toBe(403);
  });
});
