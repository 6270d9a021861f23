import { pino } from 'pino';
import { expect, it } from 'vitest';
import { countClickedMessages } from '../../../src/features/links/link-store.js';
import { ClickCounter } from '../../../src/features/links/redirect/click-counter.js';
import { addClicks } from '../../../src/features/links/redirect/click-store.js';
import { findHistory } from '../../../src/features/message-history/history.js';
import { newId } from '../../../src/platform/ids.js';
import { inTransaction } from '../../../src/platform/store/connections/pool.js';
import { createTestAccount } from '../../support/accounts.js';
import { createLink, readClicks, TARGET, visit } from '../../support/links.js';
import { ORDINARY_NUMBER } from '../../support/sends.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp({ role: 'api' });

async function createWebhook(accountId: string, events: string[]) {
  const id = newId();
  await heliograph.deps.prisma.webhook.create({
    data: { id, accountId, channelId: null, url: 'https://hooks.example/', secret: 'whsec_AAAA', events },
  });
  return id;
}

it('reports clicks of people to subscribed webhooks, the history and the campaign', async () => {
  const account = await createTestAccount(heliograph.deps);
  const subscribed = await createWebhook(account.id, ['link.clicked']);
  const unsubscribed = await createWebhook(account.id, ['message.status']);
  const campaignId = newId();
  const { code, messageId } = await createLink(heliograph, account, { campaignId });
  const otherLink = await createLink(heliograph, account, { campaignId });
  await visit(heliograph, `/l/${code}`);
  await visit(heliograph, `/l/${code}`);
  await visit(heliograph, `/l/${otherLink.code}`, { agent: 'WhatsApp/2.23.20.0' });
  await heliograph.deps.links.clicks.flush();
  await visit(heliograph, `/l/${code}`);
  await heliograph.deps.links.clicks.flush();

  const events = await heliograph.deps.prisma.webhookDelivery.findMany({
    where: { type: 'link.clicked', webhookId: { in: [subscribed, unsubscribed] } },
    orderBy: { id: 'asc' },
  });
  expect(events.map(({ webhookId }) => webhookId)).toEqual(events.map(() => subscribed));
  const bodies = events.map(({ data }) => data as { clicks: number; totalClicks: number });
  expect(bodies.reduce((sum, { clicks }) => sum + clicks, 0)).toBe(3);
  expect(bodies.at(-1)).toEqual({
    ...{ messageId, channel: 'sms', channelId: null, campaignId, contactId: null },
    ...{ phone: ORDINARY_NUMBER, userId: null, username: null, url: TARGET, clicks: 1, totalClicks: 3 },
  });
  const history = await findHistory(heliograph.deps, account.id, messageId);
  expect(history?.timeline.find(({ type }) => type === 'clicked')?.link).toEqual({ target: TARGET, clicks: 3 });
  const clicked = await countClickedMessages(heliograph.deps.pool, {
    accountId: account.id,
    campaignIds: [campaignId],
  });
  expect([...clicked]).toEqual([[campaignId, 1]]);
  const foreign = { accountId: newId(), campaignIds: [campaignId] };
  expect(await countClickedMessages(heliograph.deps.pool, foreign)).toEqual(new Map());
});

it('reports no clicks after the hundredth of a link, but counts them', async () => {
  const account = await createTestAccount(heliograph.deps);
  const webhookId = await createWebhook(account.id, ['link.clicked']);
  const { code } = await createLink(heliograph, account);
  await heliograph.deps.prisma.link.update({ where: { code }, data: { clicks: 99 } });
  for (let click = 0; click < 3; click++) {
    await visit(heliograph, `/l/${code}`);
    await heliograph.deps.links.clicks.flush();
  }
  const where = { type: 'link.clicked', webhookId };
  expect(await heliograph.deps.prisma.webhookDelivery.count({ where })).toBe(1);
  expect(await readClicks(heliograph, code)).toMatchObject({ clicks: 102 });
});

it('adds a batch of clicks once, although it is repeated after a lost response', async () => {
  const { pool } = heliograph.deps;
  const { code } = await createLink(heliograph, await createTestAccount(heliograph.deps));
  const now = new Date();
  const batch = newId();
  const clicks = [{ code, people: 2, bots: 1, firstAt: now, lastAt: now }];
  const add = () => inTransaction(pool, (client) => addClicks(client, batch, clicks));
  expect(await add()).toMatchObject([{ code, clicks: 2, newClicks: 2 }]);
  expect(await add()).toEqual([]);
  expect(await readClicks(heliograph, code)).toMatchObject({ clicks: 2, botClicks: 1 });
});

it('counts clicks later if the store fails, without losing any', async () => {
  const { deps } = heliograph;
  const { code } = await createLink(heliograph, await createTestAccount(deps));
  let isDown = true;
  const pool = { connect: () => (isDown ? Promise.reject(new Error('the store is down')) : deps.pool.connect()) };
  const counter = new ClickCounter({
    ...{ pool: pool as typeof deps.pool, clock: deps.clock, onCounted: () => undefined },
    log: pino({ enabled: false }),
  });
  counter.count(code, true);
  await expect(counter.flush()).rejects.toThrow('the store is down');
  counter.count(code, true);
  isDown = false;
  await counter.close();
  expect(await readClicks(heliograph, code)).toMatchObject({ clicks: 2 });
});
