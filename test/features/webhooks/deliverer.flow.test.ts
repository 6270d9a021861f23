import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AttemptOutcome, WebhookRequest } from '../../../src/features/webhooks/client.js';
import { type DelivererOptions, WebhookDeliverer } from '../../../src/features/webhooks/delivery/deliverer.js';
import { readEndOfForeignLeases } from '../../../src/features/webhooks/delivery/delivery-store.js';
import { ResultWriter } from '../../../src/features/webhooks/delivery/results/result-writer.js';
import { AppError } from '../../../src/platform/errors/app-error.js';
import { noFaults } from '../../../src/platform/faults.js';
import { openPool } from '../../../src/platform/store/connections/pool.js';
import { systemClock } from '../../../src/platform/system-clock.js';
import { call } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { addWebhook, sendTest } from './setup.js';

const OK = { ok: true, statusCode: 200, error: null, aborted: false };

let heliograph: TestApp;
let channel: TestChannel;
let pool: ReturnType<typeof openPool>;
const deliverers: WebhookDeliverer[] = [];

beforeAll(async () => {
  heliograph = await testApp({ role: 'api' });
  channel = await createTestChannel(heliograph.deps);
  pool = openPool({ url: heliograph.databaseUrl, size: 2, log: heliograph.deps.log, byKeyOnly: true });
});
afterEach(() => Promise.all(deliverers.splice(0).map((deliverer) => deliverer.stop(0))));
afterAll(async () => {
  await pool?.end();
  await heliograph?.close();
});

function startDeliverer(options: Partial<DelivererOptions> = {}) {
  const requests: WebhookRequest[] = [];
  const post: DelivererOptions['post'] = async (request) => {
    requests.push(request);
    return OK;
  };
  const { log } = heliograph.deps;
  const delivererOptions = {
    pool,
    log,
    leasesVoidUntil: null,
    clock: systemClock,
    signingClock: systemClock,
    faults: noFaults,
    post,
    reply: async () => null,
    publicUrl: 'http://127.0.0.1:3000',
    concurrency: 16,
    ...options,
  };
  const deliverer = new WebhookDeliverer(delivererOptions);
  deliverers.push(deliverer);
  deliverer.start();
  return requests;
}

/** Holds the request of a delivery until the returned function is called. */
function startAnswered(id: string, outcome: AttemptOutcome): Promise<() => void> {
  return new Promise((onRequest) => {
    let wasRequested = false;
    const post: DelivererOptions['post'] = async (request) => {
      if (getWebhookId(request) !== id || wasRequested) return OK;
      wasRequested = true;
      return new Promise<AttemptOutcome>((resolve) => onRequest(() => resolve(outcome)));
    };
    startDeliverer({ post });
  });
}

function startRefused(id: string, statusCode: number): Promise<() => void> {
  const error = `The endpoint answered ${statusCode}.`;
  return startAnswered(id, { ok: false, statusCode, error, aborted: false });
}

const getWebhookId = ({ headers }: WebhookRequest) => headers['webhook-id'];
const findDelivery = (id: string) => heliograph.deps.prisma.webhookDelivery.findUniqueOrThrow({ where: { id } });

describe('a lease of another process', () => {
  const createLeased = async () => {
    const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
    const [heldId, freeId] = [
      await sendTest(heliograph, channel, webhook),
      await sendTest(heliograph, channel, webhook),
    ] as const;
    await pool.query(`UPDATE webhook_deliveries SET lease_until = now() + interval '29 seconds' WHERE id = $1`, [
      heldId,
    ]);
    return { heldId, freeId };
  };

  it('a lease of another process prevents other processes from sending until it ends', async () => {
    const { heldId, freeId } = await createLeased();
    const requests = startDeliverer();
    await waitFor('the free one to be sent', () => requests.some((request) => getWebhookId(request) === freeId));
    await waitFor('its result', async () => (await findDelivery(freeId)).status === 'delivered');
    expect(requests.map(getWebhookId)).not.toContain(heldId);
    await pool.query("UPDATE webhook_deliveries SET lease_until = now() - interval '1 second' WHERE id = $1", [heldId]);
    await waitFor('the other one to be sent', () => requests.some((request) => getWebhookId(request) === heldId));
  });

  it('a lease of another process is ignored if no other process can be alive', async () => {
    const { heldId } = await createLeased();
    const requests = startDeliverer({ leasesVoidUntil: await readEndOfForeignLeases(pool) });
    await waitFor('it to be sent', () => requests.some((request) => getWebhookId(request) === heldId));
    await waitFor('its result', async () => (await findDelivery(heldId)).status === 'delivered');
    expect(requests.filter((request) => getWebhookId(request) === heldId)).toHaveLength(1);
  });
});

describe('a result', () => {
  it('a delivery result for a former URL does not disable the webhook', async () => {
    const webhook = await addWebhook(heliograph, channel, 'https://old.example/');
    const id = await sendTest(heliograph, channel, webhook);
    const answerGone = await startRefused(id, 410);
    await call(heliograph, channel, 'PUT', `/webhooks/${webhook.id}`, { url: 'https://new.example/' });
    answerGone();
    await waitFor('the result', async () => (await findDelivery(id)).attempts === 1);
    await deliverers.pop()?.stop(0);
    const { data } = (await call(heliograph, channel, 'GET', `/webhooks/${webhook.id}`)).json();
    expect(data).toMatchObject({ url: 'https://new.example/', isActive: true, failingSince: null });
  });

  it('a delivery result that is a success clears the failure, even if it was claimed before the failure', async () => {
    const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
    const id = await sendTest(heliograph, channel, webhook);
    const respondWithSuccess = await startAnswered(id, OK);
    await pool.query(`UPDATE webhooks SET failing_since = now() - interval '1 minute' WHERE id = $1`, [webhook.id]);
    respondWithSuccess();
    await waitFor('the result', async () => (await findDelivery(id)).status === 'delivered');
    await deliverers.pop()?.stop(0);
    const { data } = (await call(heliograph, channel, 'GET', `/webhooks/${webhook.id}`)).json();
    expect(data).toMatchObject({ isActive: true, failingSince: null });
  });

  async function write(webhook: { id: string }, deliveryId: string, outcome: { ok: boolean; endedAt: number }) {
    const writer = new ResultWriter({ pool, log: heliograph.deps.log, clock: systemClock });
    const { nextAttemptAt, attempts } = await findDelivery(deliveryId);
    await writer.write({
      ...{
        id: deliveryId,
        webhookId: webhook.id,
        accountId: channel.account.id,
        url: 'https://example.com/',
        attempts,
      },
      ...{ dueAt: nextAttemptAt ?? new Date(), statusCode: outcome.ok ? 200 : 500, error: null, answer: null },
      ...{ delayMs: outcome.ok ? null : 60_000, gone: false, ...outcome },
    });
    await writer.close();
    return heliograph.deps.prisma.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
  }

  it('a delivery result that failed before a success does not mark the webhook as failing, even if it is written later', async () => {
    const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
    const ids = [await sendTest(heliograph, channel, webhook), await sendTest(heliograph, channel, webhook)] as const;
    const now = performance.now();
    expect(await write(webhook, ids[0], { ok: true, endedAt: now })).toMatchObject({ failingSince: null });
    expect(await write(webhook, ids[1], { ok: false, endedAt: now - 5_000 })).toMatchObject({ failingSince: null });
    expect((await findDelivery(ids[1])).failures).toBe(1);
    const laterOutcome = { ok: false, endedAt: performance.now() };
    expect(await write(webhook, ids[1], laterOutcome)).toMatchObject({ failingSince: expect.any(Date) });
  });

  it('a delivery result is written even while the row of its webhook is locked', async () => {
    const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
    const id = await sendTest(heliograph, channel, webhook);
    const holder = await heliograph.deps.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [webhook.id]);
      startDeliverer();
      await waitFor('the result', async () => (await findDelivery(id)).status === 'delivered');
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await deliverers.pop()?.stop(0);
    const { lastSuccessAt } = await heliograph.deps.prisma.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    expect(lastSuccessAt).not.toBeNull();
  });

  it('a delivery result that failed changes nothing after another process succeeded', async () => {
    const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
    const id = await sendTest(heliograph, channel, webhook);
    const fail = await startRefused(id, 500);
    const slowDeliverer = deliverers.pop();
    await pool.query("UPDATE webhook_deliveries SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);
    startDeliverer();
    await waitFor('the other one to succeed', async () => (await findDelivery(id)).status === 'delivered');
    fail();
    await slowDeliverer?.stop(1_000);
    expect(await findDelivery(id)).toMatchObject({ status: 'delivered', attempts: 1, lastStatusCode: 200 });
  });
});

it('a TwiML reply that cannot be stored is reported, and the event is not sent again', async () => {
  const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
  const id = await sendTest(heliograph, channel, webhook);
  const requests: WebhookRequest[] = [];
  const post: DelivererOptions['post'] = async (request) => {
    requests.push(request);
    return { ...OK, responseBody: '<Response/>' };
  };
  const reply = async () => {
    throw Object.assign(new Error('invalid byte sequence'), { code: '22021' });
  };
  startDeliverer({ post, reply });
  await waitFor('its result', async () => (await findDelivery(id)).status === 'delivered');
  expect(await findDelivery(id)).toMatchObject({
    attempts: 1,
    lastError: 'Internal error of Heliograph; see the server log',
  });
  expect(requests.filter((request) => getWebhookId(request) === id)).toHaveLength(1);
});

it('a TwiML reply that is refused temporarily is sent by a later attempt', async () => {
  const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
  const id = await sendTest(heliograph, channel, webhook);
  let replies = 0;
  const reply: DelivererOptions['reply'] = async (delivery) => {
    if (delivery.id !== id) return null;
    replies += 1;
    if (replies === 1) throw new AppError('UNAVAILABLE', 'The server is overloaded. Try again later.');
    return null;
  };
  startDeliverer({ post: async () => ({ ...OK, responseBody: '<Response/>' }), reply });
  await waitFor('the reply to be refused', () => replies === 1);
  // Expires only the first attempt's lease, so a third attempt would start if the second attempt had no lease.
  await pool.query("UPDATE webhook_deliveries SET lease_until = now() - interval '1 second' WHERE id = $1", [id]);
  await waitFor('its result', async () => (await findDelivery(id)).status === 'delivered');
  expect(await findDelivery(id)).toMatchObject({ attempts: 1, lastError: null });
  expect(replies).toBe(2);
});

describe('a delivery that is replayed during an attempt', () => {
  it.each([2, 9])(
    'a delivery that is replayed during an attempt is attempted again at once after %i failures',
    async (failures) => {
      const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
      const id = await sendTest(heliograph, channel, webhook);
      await pool.query('UPDATE webhook_deliveries SET failures = $2 WHERE id = $1', [id, failures]);
      const fail = await startRefused(id, 500);
      const response = await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/deliveries/${id}/replay`);
      expect(response.statusCode, response.body).toBe(200);
      fail();
      await waitFor('it to be delivered', async () => (await findDelivery(id)).status === 'delivered');
      const tries = [{ statusCode: 500 }, { statusCode: 200 }];
      expect(await findDelivery(id)).toMatchObject({ attempts: 2, failures: 0, tries });
    },
  );
});

describe('a deleted or disabled webhook', () => {
  it('a deleted or disabled webhook gets no more deliveries', async () => {
    const [deleted, disabled, active] = [
      await addWebhook(heliograph, channel, 'https://example.com/deleted'),
      await addWebhook(heliograph, channel, 'https://example.com/disabled'),
      await addWebhook(heliograph, channel, 'https://example.com/active'),
    ];
    for (const webhook of [deleted, disabled, active]) await sendTest(heliograph, channel, webhook);
    await call(heliograph, channel, 'DELETE', `/webhooks/${deleted.id}`);
    await call(heliograph, channel, 'PUT', `/webhooks/${disabled.id}`, { isActive: false });
    const requests = startDeliverer();
    const wasSentTo = (path: string) => requests.some(({ url }) => url === `https://example.com/${path}`);
    await waitFor('the active one', () => wasSentTo('active'));
    expect(wasSentTo('deleted') || wasSentTo('disabled')).toBe(false);
    await call(heliograph, channel, 'PUT', `/webhooks/${disabled.id}`, { isActive: true });
    await waitFor('the enabled one', () => wasSentTo('disabled'));
    expect(wasSentTo('deleted')).toBe(false);
  });
});

describe('an event whose body cannot be composed', () => {
  it('an event whose body cannot be composed is retried by the schedule and fails in the end, without delaying others', async () => {
    const webhook = await addWebhook(heliograph, channel, 'https://example.com/');
    const brokenId = await sendTest(heliograph, channel, webhook);
    const requests = startDeliverer({
      signingClock: {
        now: () => {
          throw new Error('a bug in the body');
        },
      },
    });
    const failedDelivery = await waitFor('the try to be recorded', async () => {
      const delivery = await findDelivery(brokenId);
      return delivery.attempts === 1 && delivery.leaseUntil === null && delivery;
    });
    expect(failedDelivery.status).toBe('pending');
    expect(requests).toEqual([]);
    await pool.query(
      "UPDATE webhook_deliveries SET failures = 9, next_attempt_at = now() - interval '1 second' WHERE id = $1",
      [brokenId],
    );
    await waitFor('it to be given up', async () => (await findDelivery(brokenId)).status === 'failed');
  });
});
