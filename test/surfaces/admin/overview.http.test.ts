import { beforeAll, describe, expect, it } from 'vitest';
import { foldCounts } from '../../../src/messages/counters/fold-store.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { waitForStatus } from '../../support/messages.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { accept, ORDINARY_NUMBER } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

describe('GET /admin/v1/accounts/:accountId/overview', () => {
  const heliograph = suiteApp();
  let account: TestAccount;
  let operator: TestOperator;
  const getOverview = (query: string) => operator.ask('GET', `/accounts/${account.id}/overview?${query}`);
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();

  beforeAll(async () => {
    account = await createTestAccount(heliograph.deps);
    operator = await createTestOperator(heliograph, { role: 'viewer', accountId: account.id });
    const otherAccount = await createTestAccount(heliograph.deps);
    await waitForStatus(heliograph, await accept(heliograph.deps, otherAccount), 'delivered');
    await waitForStatus(heliograph, await accept(heliograph.deps, account, { to: '4915112345678' }), 'delivered');
    await waitForStatus(heliograph, await accept(heliograph.deps, account, { to: '15005550001' }), 'failed');
  });

  it.each(['UTC', 'Asia/Kolkata'])(
    'counts messages of the account by event, with days in the time zone %s',
    async (zone) => {
      const response = await getOverview(`from=${anHourAgo}&zone=${zone}`);
      expect(response.statusCode, response.body).toBe(200);
      const { data } = response.json();
      expect(data).toMatchObject({
        step: 'hour',
        currency: 'USD',
        balance: 99.99,
        spend: 0.02,
        refunds: 0.01,
        deliveryRate: 0.5,
        totals: { accepted: 2, sent: 1, delivered: 1, failed: 1, opted_out: 0 },
        byChannel: [{ channelId: null, kind: 'sms', accepted: 2 }],
        byCarrier: [{ carrier: 'simulator', delivered: 1 }],
        queue: { waiting: 0, oldestAt: null, isPartial: false },
      });
      expect(data.byCountry).toHaveLength(2);
      expect(data.byCountry).toContainEqual(expect.objectContaining({ callingCode: '49', region: 'DE', delivered: 1 }));
      expect(data.byCountry).toContainEqual(expect.objectContaining({ callingCode: '1', isShared: true, failed: 1 }));
      expect(data.timeToDelivery.median).toBeGreaterThan(0);
    },
  );

  it('counts messages of all accounts for operators of the installation', async () => {
    const viewer = await createTestOperator(heliograph, { role: 'viewer' });
    const quietAccount = await createTestAccount(heliograph.deps);
    // The query has a fixed end, because a new hour may start during the test.
    const query = `from=${anHourAgo}&to=${new Date().toISOString()}`;
    const { data } = (await viewer.ask('GET', `/overview?${query}`)).json();
    const accountCounts = data.accounts.find((entry: { accountId: string }) => entry.accountId === account.id);
    expect(accountCounts).toMatchObject({
      currency: 'USD',
      isActive: true,
      spend: 0.02,
      totals: { accepted: 2, sent: 1, delivered: 1, failed: 1 },
      waiting: 0,
      oldestAt: null,
    });
    expect(data).toMatchObject({
      totals: { accepted: 3, sent: 2, delivered: 2, failed: 1 },
      queue: { waiting: 0, oldestAt: null, isPartial: false },
      moreAccounts: false,
    });
    expect(data.accounts.map(({ accountId }: { accountId: string }) => accountId)).not.toContain(quietAccount.id);
    await foldCounts(heliograph.deps.pool);
    expect((await viewer.ask('GET', `/overview?${query}`)).json().data).toEqual(data);
    expect((await operator.ask('GET', `/overview?from=${anHourAgo}`)).statusCode).toBe(403);
  });

  it('counts queued messages of each account', async () => {
    const busyAccount = await createTestAccount(heliograph.deps);
    const [id] = await accept(heliograph.deps, busyAccount, { to: ORDINARY_NUMBER });
    await waitForStatus(heliograph, [id as string], 'delivered');
    await heliograph.deps.pool.query(
      "UPDATE messages SET status = 'sending', next_look = now() + interval '1 hour', lease_until = now() + interval '1 hour' WHERE id = $1",
      [id],
    );
    const viewer = await createTestOperator(heliograph, { role: 'viewer' });
    const { data } = (await viewer.ask('GET', `/overview?from=${anHourAgo}`)).json();
    expect(data.queue.waiting).toBe(1);
    const accountCounts = data.accounts.find((entry: { accountId: string }) => entry.accountId === busyAccount.id);
    expect(accountCounts).toMatchObject({ waiting: 1, oldestAt: data.queue.oldestAt });
  });

  it('uses days for longer periods, and omits periods without messages', async () => {
    const weekAgo = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString();
    expect((await getOverview(`from=${weekAgo}&zone=Europe/Berlin`)).json().data).toMatchObject({
      step: 'day',
      totals: { sent: 1 },
    });
    const earlierOverview = (
      await getOverview(`from=${weekAgo}&to=${new Date(Date.now() - 24 * 3_600_000).toISOString()}`)
    ).json().data;
    expect(earlierOverview).toMatchObject({
      totals: { accepted: 0 },
      deliveryRate: null,
      timeToDelivery: null,
      byTime: [],
    });
  });

  it.each([
    ['zone', () => `from=${anHourAgo}&zone=Mars/Olympus`],
    ['to', () => `from=${anHourAgo}&to=2020-01-01T00:00:00Z`],
    ['from', () => 'from=2020-01-01T00:00:00Z'],
  ])('refuses an invalid %s', async (field, query) => {
    const response = await getOverview(query());
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toMatchObject([{ field }]);
  });
});
