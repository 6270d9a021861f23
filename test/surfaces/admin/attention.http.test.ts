import { expect, it } from 'vitest';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestOperator } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';

const heliograph = suiteApp({ role: 'api' });

it('GET /admin/v1/attention lists carriers that are down, failing webhooks, and accounts that are low or disabled', async () => {
  const { deps } = heliograph;
  const { prisma } = deps;
  const viewer = await createTestOperator(heliograph, { role: 'viewer' });
  const getAttention = async () => {
    const response = await viewer.ask('GET', '/attention');
    expect(response.statusCode, response.body).toBe(200);
    return response.json().data;
  };
  const getAccount = async (accountId: string) => (await viewer.ask('GET', `/accounts/${accountId}`)).json().data;

  const healthyAccount = await createTestAccount(deps);
  expect(await getAccount(healthyAccount.id)).toMatchObject({ isLow: false, isActive: true, onlySimulated: true });
  const disabledAccount = await createTestAccount(deps, { name: 'Off' });
  const lowAccount = await createTestAccount(deps, { name: 'Low' });
  const emptyAccount = await createTestAccount(deps, { name: 'Without credit', creditMicros: 0n });
  await prisma.account.update({ where: { id: disabledAccount.id }, data: { isActive: false } });
  await prisma.account.update({ where: { id: lowAccount.id }, data: { lowBalanceMicros: 1_000_000_000_000n } });
  expect(await getAccount(lowAccount.id)).toMatchObject({ isLow: true });

  const webhook = { accountId: healthyAccount.id, events: ['message.status'], secret: 'whsec_AAAA' };
  const since = new Date('2026-11-01T00:00:00Z');
  const failingWebhookId = newId();
  const deletedWebhookId = newId();
  await prisma.webhook.createMany({
    data: [
      { ...webhook, id: newId(), url: 'https://well.example/' },
      { ...webhook, id: newId(), url: 'https://off.example/', isActive: false },
      { ...webhook, id: failingWebhookId, url: 'https://failing.example/', failingSince: since },
      { ...webhook, id: deletedWebhookId, url: 'https://gone.example/', isActive: false, disabledReason: 'gone' },
    ],
  });

  const settings = { host: 'localhost' };
  await prisma.carrier.createMany({
    data: [
      { id: newId(), name: 'steady', type: 'smpp', settings },
      { id: newId(), name: 'broken', type: 'smpp', settings },
      { id: newId(), name: 'unheard', type: 'smpp', settings },
      { id: newId(), name: 'resting', type: 'smpp', settings, isActive: false },
    ],
  });
  const report = { host: 'a', pid: 1, connections: [], ratePerSecond: 0, inHand: 0, since };
  await prisma.carrierReport.createMany({
    data: [
      { ...report, processId: newId(), carrier: 'steady', state: 'up' },
      { ...report, processId: newId(), carrier: 'broken', state: 'up' },
      { ...report, processId: newId(), carrier: 'broken', state: 'down', reason: 'The password is wrong.' },
    ],
  });

  const attention = await getAttention();
  expect(attention.carriers).toEqual([
    {
      name: 'broken',
      state: 'down',
      since: since.toISOString(),
      reason: 'The password is wrong.',
      processes: 2,
      notUp: 1,
    },
    { name: 'unheard', state: 'silent', since: null, reason: null, processes: 0, notUp: 0 },
  ]);
  expect(attention.webhookCount).toBe(2);
  expect(attention.webhooks).toMatchObject([
    {
      id: failingWebhookId,
      accountId: healthyAccount.id,
      channelId: null,
      failingSince: since.toISOString(),
      disabledReason: null,
    },
    { id: deletedWebhookId, disabledReason: 'gone' },
  ]);
  expect(attention.accountCount).toBe(3);
  expect(attention.accounts.map(({ id, isActive }: { id: string; isActive: boolean }) => [id, isActive])).toEqual([
    [lowAccount.id, true],
    [emptyAccount.id, true],
    [disabledAccount.id, false],
  ]);
  // Once a carrier is configured, the hint for new installations disappears.
  expect(await getAccount(healthyAccount.id)).toMatchObject({ onlySimulated: false });
});
