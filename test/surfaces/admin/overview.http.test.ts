import { beforeAll, describe, expect, it } from 'vitest';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { waitForStatus } from '../../support/messages.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';

describe('GET /admin/v1/accounts/:accountId/overview', () => {
  const heliograph = suiteApp();
  let account: TestAccount;
  let operator: TestOperator;
  const ask = (query: string) => operator.ask('GET', `/accounts/${account.id}/overview?${query}`);
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();

  beforeAll(async () => {
    account = await createTestAccount(heliograph.deps);
    operator = await createTestOperator(heliograph, { role: 'viewer', accountId: account.id });
    const other = await createTestAccount(heliograph.deps);
    await waitForStatus(heliograph, await accept(heliograph.deps, other), 'delivered');
    await waitForStatus(heliograph, await accept(heliograph.deps, account, { to: '4915112345678' }), 'delivered');
    await waitForStatus(heliograph, await accept(heliograph.deps, account, { to: '15005550001' }), 'failed');
  });

  it.each(['UTC', 'Asia/Kolkata'])('counts what became of the account’s messages, days in %s', async (zone) => {
    const response = await ask(`from=${anHourAgo}&zone=${zone}`);
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
  });

  it('gives days for longer times, and nothing for times without messages', async () => {
    const weekAgo = new Date(Date.now() - 7 * 24 * 3_600_000).toISOString();
    expect((await ask(`from=${weekAgo}&zone=Europe/Berlin`)).json().data).toMatchObject({
      step: 'day',
      totals: { sent: 1 },
    });
    const before = (await ask(`from=${weekAgo}&to=${new Date(Date.now() - 24 * 3_600_000).toISOString()}`)).json().data;
    expect(before).toMatchObject({ totals: { accepted: 0 }, deliveryRate: null, timeToDelivery: null, byTime: [] });
  });

  it.each([
    ['zone', () => `from=${anHourAgo}&zone=Mars/Olympus`],
    ['to', () => `from=${anHourAgo}&to=2020-01-01T00:00:00Z`],
    ['from', () => 'from=2020-01-01T00:00:00Z'],
  ])('refuses a bad %s', async (field, query) => {
    const response = await ask(query());
    expect(response.statusCode).toBe(400);
    expect(response.json().error.details).toMatchObject([{ field }]);
  });
});
