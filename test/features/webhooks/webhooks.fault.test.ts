import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { killWorkerAt } from '../../support/processes/dying-worker.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { addWebhook, sendTest, type TestWebhook, verify } from './setup.js';
import { openSink, respondWith, type Sink } from './sink.js';

const SETTINGS = { WEBHOOK_ALLOW_PRIVATE: 'true' };
const EVENTS = 60;
/** Number of concurrent requests, low enough that none times out. */
const AT_ONCE = 10;

let api: TestApp;
let channel: TestChannel;
let webhook: TestWebhook;
let sink: Sink;
const workers: TestApp[] = [];

beforeAll(async () => {
  sink = await openSink();
  api = await testApp({ role: 'api', settings: SETTINGS });
  channel = await createTestChannel(api.deps);
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await api.deps.prisma.webhook.deleteMany();
  sink.received.length = 0;
  sink.respond = (_, response) => respondWith(response, 204);
});
afterAll(async () => {
  await api?.close();
  await sink?.close();
});

async function startWorker(): Promise<void> {
  workers.push(await testApp({ role: 'worker', sharesWith: api, settings: SETTINGS }));
}

/** For a new webhook. */
async function queueEvents(count: number): Promise<Set<string>> {
  webhook = await addWebhook(api, channel, sink.url);
  const ids = new Set<string>();
  while (ids.size < count) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - ids.size) }, () => sendTest(api, channel, webhook));
    for (const id of await Promise.all(batch)) ids.add(id);
  }
  return ids;
}

const listDeliveries = () => api.deps.prisma.webhookDelivery.findMany({ where: { webhookId: webhook.id } });

async function expectAllArrive(ids: ReadonlySet<string>): Promise<void> {
  await waitFor(
    'every delivery to be delivered',
    async () => (await listDeliveries()).every(({ status }) => status === 'delivered'),
    { intervalMs: 50 },
  );
  expect(new Set(sink.received.map(({ headers }) => headers['webhook-id']))).toEqual(ids);
  for (const event of sink.received) verify(webhook.secret, event);
}

describe('a worker that is killed during delivery', () => {
  it.each([
    ['webhook:claimed', 1],
    ['webhook:claimed', 4],
    ['webhook:sent', 1],
    ['webhook:sent', 20],
  ])('a worker killed at %s, passing %i, loses no event', async (point, times) => {
    const ids = await queueEvents(EVENTS);
    await killWorkerAt(api, point, times, SETTINGS);
    const pending = (await listDeliveries()).filter(({ status }) => status === 'pending');
    expect(pending.length).toBeGreaterThan(0);
    // Expires the leases, so that the test does not wait half a minute for their end.
    const leases = pending.flatMap(({ leaseUntil }) => leaseUntil ?? []);
    expect(leases.length).toBeGreaterThan(0);
    for (const lease of leases) expect(lease.getTime()).toBeLessThan(Date.now() + 31_000);
    await api.deps.prisma.webhookDelivery.updateMany({
      where: { leaseUntil: { not: null } },
      data: { leaseUntil: new Date(0) },
    });
    await startWorker();
    await expectAllArrive(ids);
    const repeatedCount = sink.received.length - ids.size;
    expect(repeatedCount).toBeLessThanOrEqual(leases.length);
  });
});

describe('two workers', () => {
  it('two workers share the deliveries and send each one once', async () => {
    await Promise.all([startWorker(), startWorker()]);
    const ids = await queueEvents(200);
    await expectAllArrive(ids);
    expect(sink.received).toHaveLength(200);
    expect((await listDeliveries()).every(({ attempts }) => attempts === 1)).toBe(true);
  });
});

describe('a stopped worker', () => {
  it('a stopped worker releases deliveries without a response, and another worker sends them at once', async () => {
    sink.respond = () => undefined;
    await startWorker();
    const ids = await queueEvents(1);
    await waitFor('the endpoint to be asked', () => sink.open === 1);
    await workers.pop()?.close();
    expect(await listDeliveries()).toMatchObject([
      { status: 'pending', attempts: 0, leaseUntil: null, lastError: null },
    ]);
    sink.respond = (_, response) => respondWith(response, 204);
    await startWorker();
    await expectAllArrive(ids);
  });

  it('a stopped worker finishes deliveries that get a response in time', async () => {
    let release = () => {};
    sink.respond = (_, response) => {
      release = () => respondWith(response, 204);
    };
    await startWorker();
    await queueEvents(1);
    await waitFor('the endpoint to be asked', () => sink.received.length === 1);
    const closing = workers.pop()?.close();
    release();
    await closing;
    expect(await listDeliveries()).toMatchObject([{ status: 'delivered', attempts: 1 }]);
  });
});

describe('an unavailable store during deliveries', () => {
  it('an unavailable store delays their results and loses none', async () => {
    /** Repeats the query, because PostgreSQL may have closed a connection of this process since its last use. */
    const retryUntilDone = (description: string, ask: () => Promise<unknown>) =>
      waitFor(description, () => ask().then(() => true));
    await startWorker();
    const ids = await queueEvents(EVENTS);
    for (let times = 0; times < 2; times += 1) {
      await waitFor('some to arrive', () => sink.received.length > times * 20);
      await retryUntilDone('the connections to end', () =>
        api.deps.pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%webhook_deliveries%'`,
        ),
      );
    }
    await retryUntilDone('the leases to end', () =>
      api.deps.prisma.webhookDelivery.updateMany({
        where: { leaseUntil: { not: null }, status: 'pending' },
        data: { leaseUntil: new Date(0) },
      }),
    );
    await expectAllArrive(ids);
  });
});
