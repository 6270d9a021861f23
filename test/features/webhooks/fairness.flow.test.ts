import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newSecret } from '../../../src/features/webhooks/signature.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { addWebhook, sendTest } from './setup.js';
import { openSink, respondWith, type Sink } from './sink.js';

let heliograph: TestApp;
let channel: TestChannel;
let sink: Sink;

beforeAll(async () => {
  sink = await openSink();
  // The server has few delivery slots, so that a hundred endpoints could occupy all of them.
  heliograph = await testApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_CONCURRENCY: '16' } });
  channel = await createTestChannel(heliograph.deps);
});
afterAll(async () => {
  await heliograph?.close();
  await sink?.close();
});

/** Inserts webhooks directly, because the API limits their number per channel. */
async function addDead(count: number, events: number, path: string) {
  const { prisma, pool } = heliograph.deps;
  const { account, channelId } = channel;
  await prisma.webhook.createMany({
    data: Array.from({ length: count }, (_, index) => ({
      id: newId(),
      accountId: account.id,
      channelId,
      url: `${sink.url}${path}?${index}`,
      events: ['message.status'],
      secret: newSecret(),
    })),
  });
  // The inserts take longer than the timeout of a request, so the statement has a longer timeout.
  const statement = {
    text: `INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
           SELECT new_id(), w.id, 'message.status', '{}', now() FROM webhooks w, generate_series(1, $1) WHERE w.url LIKE $2`,
    values: [events, `%${path}?%`],
    patienceMs: 50_000,
  };
  await pool.query(statement);
}

describe('endpoints that fail', () => {
  it('endpoints that fail get attempts only now and then, one at a time', async () => {
    sink.received.length = 0;
    sink.respond = (_received, response) => respondWith(response, 500);
    const id = newId();
    const { prisma, pool } = heliograph.deps;
    const { account, channelId } = channel;
    const url = `${sink.url}/fails`;
    await prisma.webhook.create({
      data: { id, accountId: account.id, channelId, url, events: ['message.status'], secret: newSecret() },
    });
    await pool.query(
      `INSERT INTO webhook_deliveries (id, webhook_id, type, data, occurred_at)
       SELECT new_id(), $1, 'message.status', '{}', now() FROM generate_series(1, 1000)`,
      [id],
    );
    heliograph.deps.deliverer?.wake();
    const countFailed = () => prisma.webhookDelivery.count({ where: { webhookId: id, attempts: { gt: 0 } } });
    await waitFor('it to be known as failing', async () => (await countFailed()) >= 5);
    const failedBefore = await countFailed();
    await waitFor('it to be called again', async () => (await countFailed()) > failedBefore);
    expect(await countFailed()).toBeLessThanOrEqual(10);
    sink.respond = (_received, response) => respondWith(response, 204);
    await waitFor('all that is due to be delivered', async () => {
      const dueFields = { webhookId: id, status: 'pending', attempts: 0 } as const;
      return (await prisma.webhookDelivery.count({ where: dueFields })) === 0;
    });
  });
});

describe('a hundred hanging endpoints with a thousand events each', () => {
  it('a hundred hanging endpoints do not delay endpoints that respond', async () => {
    sink.respond = ({ path }, response) => {
      if (!path.startsWith('/hook/hangs')) respondWith(response, 204);
    };
    const owner = await createTestChannel(heliograph.deps);
    const webhook = await addWebhook(heliograph, owner, `${sink.url}/answers`);
    const countArrived = () => sink.received.filter(({ path }) => path === '/hook/answers').length;
    await sendTest(heliograph, owner, webhook);
    await waitFor('it to answer', () => countArrived() === 1);

    await addDead(100, 1_000, '/hangs');
    await waitFor('as many to hang as there are slots', () => sink.open >= 16);
    const durations: number[] = [];
    for (let count = 2; count <= 31; count += 1) {
      const startedAt = performance.now();
      await sendTest(heliograph, owner, webhook);
      await waitFor(`event ${count} to arrive`, () => countArrived() === count, { intervalMs: 2 });
      durations.push(performance.now() - startedAt);
    }
    expect(sink.open).toBeGreaterThanOrEqual(16);
    // The limits are far below the fifteen seconds for which a hanging endpoint occupies a slot.
    expect(durations.sort((a, b) => a - b)[15]).toBeLessThan(500);
    expect(Math.max(...durations)).toBeLessThan(3_000);
  });
});
