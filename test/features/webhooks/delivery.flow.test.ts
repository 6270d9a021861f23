import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { createTestOperator } from '../../support/operators.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { addAccountWebhook, addWebhook, bringForward, findLoggedDelivery, sendTest, verify } from './setup.js';
import { openSink, respondWith, type Sink } from './sink.js';

const DAY_MS = 86_400_000;
const clock = new ShiftedClock();
const heliograph = suiteApp({ clock, settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
const channel = forSuite(() => createTestChannel(heliograph.deps));
let sink: Sink;

beforeAll(async () => {
  sink = await openSink();
});
afterAll(() => sink?.close());
afterEach(() => {
  sink.respond = (_, response) => respondWith(response, 204);
  sink.received.length = 0;
});

async function addWebhookAt(path: string) {
  const webhook = await addWebhook(heliograph, channel, sink.url + path);
  const waitForRequests = (count = 1) =>
    waitFor(`${count} requests at ${path}`, () => {
      const matching = sink.received.filter((request) => request.path === `/hook${path}`);
      return matching.length >= count && matching;
    });
  const waitForEntry = (deliveryId: string, check: (entry: { status: string; attempts: number }) => boolean) =>
    waitFor('the log to show it', async () => {
      const loggedEntry = await findLoggedDelivery(heliograph, channel, webhook, deliveryId);
      return check(loggedEntry) && loggedEntry;
    });
  return { webhook, waitForRequests, waitForEntry };
}

describe('a delivery', () => {
  it('a webhook delivery is signed as in Standard Webhooks, and has type, time and data', async () => {
    const { webhook, waitForRequests, waitForEntry } = await addWebhookAt('/signed');
    const id = await sendTest(heliograph, channel, webhook);
    const [received] = await waitForRequests();
    if (!received) throw new Error('nothing arrived');
    verify(webhook.secret, received);
    expect(received.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
    expect(Math.abs(Date.now() / 1000 - Number(received.headers['webhook-timestamp']))).toBeLessThan(3_600);
    expect(received.event).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { webhookId: webhook.id, channelId: channel.channelId },
    });
    expect(await waitForEntry(id, ({ status }) => status === 'delivered')).toMatchObject({
      type: 'webhook.test',
      attempts: 1,
      lastStatusCode: 204,
      lastError: null,
      nextAttemptAt: null,
      deliveredAt: expect.any(String),
    });
  });

  it('a webhook delivery records each attempt with the response', async () => {
    const { webhook, waitForRequests, waitForEntry } = await addWebhookAt('/tries');
    const operator = await createTestOperator(heliograph, { role: 'viewer', accountId: channel.account.id });
    const countTries = async () => {
      const path = `/accounts/${channel.account.id}/channels/${channel.channelId}/webhooks/${webhook.id}/deliveries`;
      const [delivery] = (await operator.ask('GET', path)).json().data;
      return delivery;
    };
    sink.respond = (_, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`no room\0 left\r\n${'é'.repeat(2_000)}`);
    };
    const id = await sendTest(heliograph, channel, webhook);
    await waitForEntry(id, ({ attempts }) => attempts === 1);
    const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const failedEntry = {
      at: isoTime,
      statusCode: 500,
      error: 'The endpoint answered 500.',
      answer: `no room left\n${'é'.repeat(387)}`,
    };
    expect(await countTries()).toMatchObject({ id, messageId: null, tries: [failedEntry] });

    sink.respond = (_, response) => respondWith(response, 204);
    await bringForward(heliograph, id);
    await waitForRequests(2);
    await waitForEntry(id, ({ status }) => status === 'delivered');
    expect((await countTries()).tries).toEqual([
      failedEntry,
      { at: isoTime, statusCode: 204, error: null, answer: null },
    ]);

    // The column `tries` stays null if the first attempt succeeds.
    const silentId = await sendTest(heliograph, channel, webhook);
    const { lastAttemptAt } = await waitForEntry(silentId, ({ status }) => status === 'delivered');
    expect((await countTries()).tries).toEqual([{ at: lastAttemptAt, statusCode: 204, error: null, answer: null }]);
    expect(
      (await heliograph.deps.prisma.webhookDelivery.findUniqueOrThrow({ where: { id: silentId } })).tries,
    ).toBeNull();
  });

  it.each([
    ['15005550100', ['delivered', 'sent']],
    ['15005550006', ['delivered', 'read', 'sent']],
    ['15005550002', ['sent', 'undelivered']],
    ['15005550001', ['failed']],
  ])('webhook deliveries report each status of an SMS to the account but to no channel: %s', async (to, statuses) => {
    const path = `/hook/statuses-${to}`;
    const webhook = await addAccountWebhook(heliograph, channel.account, `${sink.url}/statuses-${to}`);
    const channelWebhook = await addWebhook(heliograph, channel, `${sink.url}/channel-${to}`);
    const waitForRequests = (count: number) =>
      waitFor(`${count} requests at ${path}`, () => {
        const matching = sink.received.filter((request) => request.path === path);
        return matching.length >= count && matching;
      });
    const [messageId] = await accept(heliograph.deps, channel.account, { to });
    const eventTypes = (await waitForRequests(statuses.length)).map(({ event }) => event);
    expect(eventTypes.map(({ data }) => data.status).sort()).toEqual(statuses);
    for (const { type, timestamp, data } of eventTypes) {
      const final = data.status === 'undelivered' || data.status === 'failed';
      expect(type).toBe('message.status');
      expect(timestamp).toMatch(/Z$/);
      expect(data).toMatchObject({ messageId, channel: 'sms', channelId: null, to, from: 'Heliograph' });
      expect(data.errorCode !== null, String(data.status)).toBe(final);
    }
    for (const request of await waitForRequests(statuses.length)) verify(webhook.secret, request);
    const { prisma } = heliograph.deps;
    expect(await prisma.webhookDelivery.count({ where: { webhookId: channelWebhook.id } })).toBe(0);
    await prisma.webhook.deleteMany({ where: { id: { in: [webhook.id, channelWebhook.id] } } });
  });

  it.each([
    ['an answer of 500', 500, 'The endpoint answered 500.'],
    ['an answer of 404', 404, 'The endpoint answered 404.'],
    ['a redirect, which is not followed', 307, 'The endpoint answered 307; redirects are not followed.'],
    ['a redirect, which is not followed', 302, 'The endpoint answered 302; redirects are not followed.'],
  ])('a webhook delivery fails with %s (%#) and is retried with the same webhook-id', async (_, status, lastError) => {
    const { webhook, waitForRequests, waitForEntry } = await addWebhookAt(`/fails-${status}`);
    sink.respond = (_received, response) => respondWith(response, status, { location: `${sink.url}/elsewhere` });
    const id = await sendTest(heliograph, channel, webhook);
    const failedEntry = await waitForEntry(id, ({ attempts }) => attempts === 1);
    expect(failedEntry).toMatchObject({ status: 'pending', lastStatusCode: status, lastError, deliveredAt: null });
    const wait = new Date(failedEntry.nextAttemptAt).getTime() - new Date(failedEntry.lastAttemptAt).getTime();
    expect(wait).toBeGreaterThanOrEqual(4_490);
    expect(wait).toBeLessThanOrEqual(5_510);

    sink.respond = (_received, response) => respondWith(response, 200);
    await bringForward(heliograph, id);
    const bothRequests = await waitForRequests(2);
    expect(bothRequests.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    expect(bothRequests[1]?.body).toBe(bothRequests[0]?.body);
    for (const request of bothRequests) verify(webhook.secret, request);
    await waitForEntry(id, ({ status, attempts }) => status === 'delivered' && attempts === 2);
    expect(sink.received.filter(({ path }) => path === '/hook/elsewhere')).toEqual([]);
  });

  it('a webhook delivery fails if the connection is refused or closed, with a text without addresses', async () => {
    const closedSink = await openSink();
    await closedSink.close();
    const refusingWebhook = await addWebhook(heliograph, channel, closedSink.url);
    const refusedId = await sendTest(heliograph, channel, refusingWebhook);
    const { webhook, waitForEntry } = await addWebhookAt('/cut');
    sink.respond = (_received, response) => response.destroy();
    const cutId = await sendTest(heliograph, channel, webhook);

    expect(await waitForEntry(cutId, ({ attempts }) => attempts === 1)).toMatchObject({
      lastStatusCode: null,
      lastError: 'The connection was closed before the response was complete.',
    });
    const loggedEntry = await waitFor('the log to show it', async () => {
      const entry = await findLoggedDelivery(heliograph, channel, refusingWebhook, refusedId);
      return entry.attempts === 1 && entry;
    });
    expect(loggedEntry).toMatchObject({ lastStatusCode: null, lastError: 'The connection was refused.' });
    // Deletes the webhook, because another program may listen on its port at the next attempt.
    await call(heliograph, channel, 'DELETE', `/webhooks/${refusingWebhook.id}`);
  });

  it('a webhook delivery fails for good after ten failures', async () => {
    const { webhook, waitForEntry } = await addWebhookAt('/given-up');
    sink.respond = (_received, response) => respondWith(response, 503);
    const id = await sendTest(heliograph, channel, webhook);
    await waitForEntry(id, ({ attempts }) => attempts === 1);
    await heliograph.deps.prisma.webhookDelivery.update({ where: { id }, data: { attempts: 9, failures: 9 } });
    await bringForward(heliograph, id);
    expect(await waitForEntry(id, ({ status }) => status !== 'pending')).toMatchObject({
      status: 'failed',
      attempts: 10,
      nextAttemptAt: null,
      lastError: 'The endpoint answered 503.',
    });
  });

  it('a webhook delivery with an endless response succeeds by its status code', async () => {
    const { webhook, waitForEntry } = await addWebhookAt('/endless');
    sink.respond = (_received, response) => {
      response.writeHead(200);
      const countMore = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', countMore);
      countMore();
    };
    const id = await sendTest(heliograph, channel, webhook);
    await waitForEntry(id, ({ status }) => status === 'delivered');
  });
});

describe('a replay', () => {
  it('a replay sends the same event with the same webhook-id and continues counting attempts', async () => {
    const { webhook, waitForRequests, waitForEntry } = await addWebhookAt('/replayed');
    const id = await sendTest(heliograph, channel, webhook);
    await waitForEntry(id, ({ status }) => status === 'delivered');
    const replay = await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/deliveries/${id}/replay`);
    expect(replay.json().data).toMatchObject({ id, status: 'pending', attempts: 1, deliveredAt: null });
    const [first, second] = await waitForRequests(2);
    expect(second?.headers['webhook-id']).toBe(id);
    expect(second?.body).toBe(first?.body);
    await waitForEntry(id, ({ status, attempts }) => status === 'delivered' && attempts === 2);
  });

  it('a replay restarts the schedule of a failed delivery', async () => {
    const { webhook, waitForEntry } = await addWebhookAt('/replayed-late');
    sink.respond = (_received, response) => respondWith(response, 500);
    const id = await sendTest(heliograph, channel, webhook);
    await waitForEntry(id, ({ attempts }) => attempts === 1);
    await heliograph.deps.prisma.webhookDelivery.update({
      where: { id },
      data: { attempts: 10, failures: 10, status: 'failed', nextAttemptAt: null },
    });
    await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/deliveries/${id}/replay`);
    expect(await waitForEntry(id, ({ attempts }) => attempts === 11)).toMatchObject({
      status: 'pending',
      nextAttemptAt: expect.any(String),
    });
  });
});

describe('a rotated secret', () => {
  it('a rotated webhook secret signs together with the new one for 24 hours', async () => {
    const { webhook, waitForRequests } = await addWebhookAt('/rotated');
    const rotation = (await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/rotate-secret`)).json().data;
    expect(rotation.secret).not.toBe(webhook.secret);
    await sendTest(heliograph, channel, webhook);
    const [during] = await waitForRequests(1);
    if (!during) throw new Error('nothing arrived');
    expect(during.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    verify(webhook.secret, during);
    verify(rotation.secret, during);

    clock.advance(DAY_MS + 1_000);
    await sendTest(heliograph, channel, webhook);
    const [, laterRequest] = await waitForRequests(2);
    if (!laterRequest) throw new Error('nothing arrived');
    expect(() => verify(webhook.secret, laterRequest)).toThrow();
    verify(rotation.secret, laterRequest);
    const webhookView = (await call(heliograph, channel, 'GET', `/webhooks/${webhook.id}`)).json().data;
    expect(webhookView.previousSecretExpiresAt).toBeNull();
  });
});

describe('an endpoint', () => {
  const readWebhook = async ({ id }: { id: string }) =>
    (await call(heliograph, channel, 'GET', `/webhooks/${id}`)).json().data;

  it('a webhook endpoint with status 410 is disabled at once, and gets pending deliveries after it is enabled', async () => {
    const { webhook, waitForRequests, waitForEntry } = await addWebhookAt('/gone');
    sink.respond = (_received, response) => respondWith(response, 410);
    const id = await sendTest(heliograph, channel, webhook);
    expect(await waitForEntry(id, ({ status }) => status !== 'pending')).toMatchObject({
      status: 'failed',
      lastStatusCode: 410,
    });
    await waitFor('it to be disabled', async () => !(await readWebhook(webhook)).isActive);
    expect(await readWebhook(webhook)).toMatchObject({ isActive: false, disabledReason: 'gone' });
    for (const path of ['test', `deliveries/${id}/replay`]) {
      expect((await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/${path}`)).statusCode).toBe(409);
    }

    sink.respond = (_received, response) => respondWith(response, 204);
    const enableResponse = await call(heliograph, channel, 'PUT', `/webhooks/${webhook.id}`, { isActive: true });
    expect(enableResponse.json().data).toMatchObject({ isActive: true, disabledReason: null, failingSince: null });
    await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/deliveries/${id}/replay`);
    await waitForRequests(2);
  });

  it('a webhook endpoint is disabled after failing for five days; one success restarts the count', async () => {
    const { webhook, waitForEntry } = await addWebhookAt('/failing');
    const healthy = await addWebhookAt('/well');
    const failOnce = async () => {
      sink.respond = ({ path }, response) => respondWith(response, path === '/hook/well' ? 204 : 500);
      const id = await sendTest(heliograph, channel, webhook);
      await waitForEntry(id, ({ attempts }) => attempts === 1);
      // Marks the delivery as failed, so that no further attempt is made.
      await heliograph.deps.prisma.webhookDelivery.update({
        where: { id },
        data: { status: 'failed', nextAttemptAt: null },
      });
      // A later delivery shows that the first attempt's effect on its webhook has been stored.
      const laterId = await sendTest(heliograph, channel, healthy.webhook);
      await healthy.waitForEntry(laterId, ({ status }) => status === 'delivered');
    };
    await failOnce();
    const failingSince = await waitFor('it to be failing', async () => (await readWebhook(webhook)).failingSince);
    clock.advance(4 * DAY_MS);
    await failOnce();
    expect(await readWebhook(webhook)).toMatchObject({ isActive: true, failingSince: failingSince });

    sink.respond = (_received, response) => respondWith(response, 200);
    await sendTest(heliograph, channel, webhook);
    await waitFor('it to be well again', async () => (await readWebhook(webhook)).failingSince === null);
    clock.advance(2 * DAY_MS);
    await failOnce();
    await waitFor('it to be failing', async () => (await readWebhook(webhook)).failingSince);
    clock.advance(5 * DAY_MS - 60_000);
    await failOnce();
    expect((await readWebhook(webhook)).isActive).toBe(true);
    clock.advance(120_000);
    await failOnce();
    await waitFor('it to be disabled', async () => (await readWebhook(webhook)).disabledReason === 'failing');
    expect((await readWebhook(webhook)).isActive).toBe(false);
  });
});
