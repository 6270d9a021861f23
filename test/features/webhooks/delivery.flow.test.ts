import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/channel-calls.js';
import { createTestChannel } from '../../support/channels.js';
import { forSuite } from '../../support/for-suite.js';
import { ShiftedClock } from '../../support/manual-clock.js';
import { createTestOperator } from '../../support/operators.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';
import { addAccountWebhook, addWebhook, bringForward, logged, sendTest, verify } from './setup.js';
import { answer, openSink, type Sink } from './sink.js';

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
  sink.respond = (_, response) => answer(response, 204);
  sink.received.length = 0;
});

async function webhookAt(path: string) {
  const webhook = await addWebhook(heliograph, channel, sink.url + path);
  const arrived = (count = 1) =>
    waitFor(`${count} requests at ${path}`, () => {
      const own = sink.received.filter((each) => each.path === `/hook${path}`);
      return own.length >= count && own;
    });
  const entry = (deliveryId: string, check: (entry: { status: string; attempts: number }) => boolean) =>
    waitFor('the log to show it', async () => {
      const found = await logged(heliograph, channel, webhook, deliveryId);
      return check(found) && found;
    });
  return { webhook, arrived, entry };
}

describe('a delivery', () => {
  it('is signed as in Standard Webhooks, and has type, time and data', async () => {
    const { webhook, arrived, entry } = await webhookAt('/signed');
    const id = await sendTest(heliograph, channel, webhook);
    const [received] = await arrived();
    if (!received) throw new Error('nothing arrived');
    verify(webhook.secret, received);
    expect(received.headers).toMatchObject({ 'webhook-id': id, 'content-type': 'application/json' });
    expect(Math.abs(Date.now() / 1000 - Number(received.headers['webhook-timestamp']))).toBeLessThan(3_600);
    expect(received.event).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { webhookId: webhook.id, channelId: channel.channelId },
    });
    expect(await entry(id, ({ status }) => status === 'delivered')).toMatchObject({
      type: 'webhook.test',
      attempts: 1,
      lastStatusCode: 204,
      lastError: null,
      nextAttemptAt: null,
      deliveredAt: expect.any(String),
    });
  });

  it('records each attempt with the response', async () => {
    const { webhook, arrived, entry } = await webhookAt('/tries');
    const operator = await createTestOperator(heliograph, { role: 'viewer', accountId: channel.account.id });
    const tries = async () => {
      const path = `/accounts/${channel.account.id}/channels/${channel.channelId}/webhooks/${webhook.id}/deliveries`;
      const [delivery] = (await operator.ask('GET', path)).json().data;
      return delivery;
    };
    sink.respond = (_, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`no room\0 left\r\n${'é'.repeat(2_000)}`);
    };
    const id = await sendTest(heliograph, channel, webhook);
    await entry(id, ({ attempts }) => attempts === 1);
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const failed = {
      at,
      statusCode: 500,
      error: 'The endpoint answered 500.',
      answer: `no room left\n${'é'.repeat(387)}`,
    };
    expect(await tries()).toMatchObject({ id, messageId: null, tries: [failed] });

    sink.respond = (_, response) => answer(response, 204);
    await bringForward(heliograph, id);
    await arrived(2);
    await entry(id, ({ status }) => status === 'delivered');
    expect((await tries()).tries).toEqual([failed, { at, statusCode: 204, error: null, answer: null }]);

    // An immediate delivery without an error stores nothing more than its columns.
    const silent = await sendTest(heliograph, channel, webhook);
    const { lastAttemptAt } = await entry(silent, ({ status }) => status === 'delivered');
    expect((await tries()).tries).toEqual([{ at: lastAttemptAt, statusCode: 204, error: null, answer: null }]);
    expect(
      (await heliograph.deps.prisma.webhookDelivery.findUniqueOrThrow({ where: { id: silent } })).tries,
    ).toBeNull();
  });

  it.each([
    ['15005550100', ['delivered', 'sent']],
    ['15005550006', ['delivered', 'read', 'sent']],
    ['15005550002', ['sent', 'undelivered']],
    ['15005550001', ['failed']],
  ])('reports each status of an SMS to the account but to no channel: %s', async (to, statuses) => {
    const path = `/hook/statuses-${to}`;
    const webhook = await addAccountWebhook(heliograph, channel.account, `${sink.url}/statuses-${to}`);
    const ofChannel = await addWebhook(heliograph, channel, `${sink.url}/channel-${to}`);
    const arrived = (count: number) =>
      waitFor(`${count} requests at ${path}`, () => {
        const own = sink.received.filter((each) => each.path === path);
        return own.length >= count && own;
      });
    const [messageId] = await accept(heliograph.deps, channel.account, { to });
    const events = (await arrived(statuses.length)).map(({ event }) => event);
    expect(events.map(({ data }) => data.status).sort()).toEqual(statuses);
    for (const { type, timestamp, data } of events) {
      const final = data.status === 'undelivered' || data.status === 'failed';
      expect(type).toBe('message.status');
      expect(timestamp).toMatch(/Z$/);
      expect(data).toMatchObject({ messageId, channel: 'sms', channelId: null, to, from: 'Heliograph' });
      expect(data.errorCode !== null, String(data.status)).toBe(final);
    }
    for (const received of await arrived(statuses.length)) verify(webhook.secret, received);
    const { prisma } = heliograph.deps;
    expect(await prisma.webhookDelivery.count({ where: { webhookId: ofChannel.id } })).toBe(0);
    await prisma.webhook.deleteMany({ where: { id: { in: [webhook.id, ofChannel.id] } } });
  });

  it.each([
    ['an answer of 500', 500, 'The endpoint answered 500.'],
    ['an answer of 404', 404, 'The endpoint answered 404.'],
    ['a redirect, which is not followed', 307, 'The endpoint answered 307; redirects are not followed.'],
    ['a redirect, which is not followed', 302, 'The endpoint answered 302; redirects are not followed.'],
  ])('fails with %s (%#) and is retried with the same webhook-id', async (_, status, lastError) => {
    const { webhook, arrived, entry } = await webhookAt(`/fails-${status}`);
    sink.respond = (_received, response) => answer(response, status, { location: `${sink.url}/elsewhere` });
    const id = await sendTest(heliograph, channel, webhook);
    const failed = await entry(id, ({ attempts }) => attempts === 1);
    expect(failed).toMatchObject({ status: 'pending', lastStatusCode: status, lastError, deliveredAt: null });
    const wait = new Date(failed.nextAttemptAt).getTime() - new Date(failed.lastAttemptAt).getTime();
    expect(wait).toBeGreaterThanOrEqual(4_490);
    expect(wait).toBeLessThanOrEqual(5_510);

    sink.respond = (_received, response) => answer(response, 200);
    await bringForward(heliograph, id);
    const both = await arrived(2);
    expect(both.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
    expect(both[1]?.body).toBe(both[0]?.body);
    for (const each of both) verify(webhook.secret, each);
    await entry(id, ({ status, attempts }) => status === 'delivered' && attempts === 2);
    expect(sink.received.filter(({ path }) => path === '/hook/elsewhere')).toEqual([]);
  });

  it('fails if the connection is refused or closed, with a text without addresses', async () => {
    const closed = await openSink();
    await closed.close();
    const refused = await addWebhook(heliograph, channel, closed.url);
    const refusedId = await sendTest(heliograph, channel, refused);
    const { webhook, entry } = await webhookAt('/cut');
    sink.respond = (_received, response) => response.destroy();
    const cutId = await sendTest(heliograph, channel, webhook);

    expect(await entry(cutId, ({ attempts }) => attempts === 1)).toMatchObject({
      lastStatusCode: null,
      lastError: 'The connection was closed before the response was complete.',
    });
    const found = await waitFor('the log to show it', async () => {
      const each = await logged(heliograph, channel, refused, refusedId);
      return each.attempts === 1 && each;
    });
    expect(found).toMatchObject({ lastStatusCode: null, lastError: 'The connection was refused.' });
    // Another program may listen on the port at the next attempt.
    await call(heliograph, channel, 'DELETE', `/webhooks/${refused.id}`);
  });

  it('fails for good after ten failures', async () => {
    const { webhook, entry } = await webhookAt('/given-up');
    sink.respond = (_received, response) => answer(response, 503);
    const id = await sendTest(heliograph, channel, webhook);
    await entry(id, ({ attempts }) => attempts === 1);
    await heliograph.deps.prisma.webhookDelivery.update({ where: { id }, data: { attempts: 9, failures: 9 } });
    await bringForward(heliograph, id);
    expect(await entry(id, ({ status }) => status !== 'pending')).toMatchObject({
      status: 'failed',
      attempts: 10,
      nextAttemptAt: null,
      lastError: 'The endpoint answered 503.',
    });
  });

  it('with an endless response succeeds by its status code', async () => {
    const { webhook, entry } = await webhookAt('/endless');
    sink.respond = (_received, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
      };
      response.on('drain', more);
      more();
    };
    const id = await sendTest(heliograph, channel, webhook);
    await entry(id, ({ status }) => status === 'delivered');
  });
});

describe('a replay', () => {
  it('sends the same event with the same webhook-id and continues counting attempts', async () => {
    const { webhook, arrived, entry } = await webhookAt('/replayed');
    const id = await sendTest(heliograph, channel, webhook);
    await entry(id, ({ status }) => status === 'delivered');
    const replay = await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/deliveries/${id}/replay`);
    expect(replay.json().data).toMatchObject({ id, status: 'pending', attempts: 1, deliveredAt: null });
    const [first, second] = await arrived(2);
    expect(second?.headers['webhook-id']).toBe(id);
    expect(second?.body).toBe(first?.body);
    await entry(id, ({ status, attempts }) => status === 'delivered' && attempts === 2);
  });

  it('restarts the schedule of a failed delivery', async () => {
    const { webhook, entry } = await webhookAt('/replayed-late');
    sink.respond = (_received, response) => answer(response, 500);
    const id = await sendTest(heliograph, channel, webhook);
    await entry(id, ({ attempts }) => attempts === 1);
    await heliograph.deps.prisma.webhookDelivery.update({
      where: { id },
      data: { attempts: 10, failures: 10, status: 'failed', nextAttemptAt: null },
    });
    await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/deliveries/${id}/replay`);
    expect(await entry(id, ({ attempts }) => attempts === 11)).toMatchObject({
      status: 'pending',
      nextAttemptAt: expect.any(String),
    });
  });
});

describe('a rotated secret', () => {
  it('signs together with the new one for 24 hours', async () => {
    const { webhook, arrived } = await webhookAt('/rotated');
    const rotated = (await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/rotate-secret`)).json().data;
    expect(rotated.secret).not.toBe(webhook.secret);
    await sendTest(heliograph, channel, webhook);
    const [during] = await arrived(1);
    if (!during) throw new Error('nothing arrived');
    expect(during.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    verify(webhook.secret, during);
    verify(rotated.secret, during);

    clock.advance(DAY_MS + 1_000);
    await sendTest(heliograph, channel, webhook);
    const [, later] = await arrived(2);
    if (!later) throw new Error('nothing arrived');
    expect(() => verify(webhook.secret, later)).toThrow();
    verify(rotated.secret, later);
    const shown = (await call(heliograph, channel, 'GET', `/webhooks/${webhook.id}`)).json().data;
    expect(shown.previousSecretExpiresAt).toBeNull();
  });
});

describe('an endpoint', () => {
  const show = async ({ id }: { id: string }) =>
    (await call(heliograph, channel, 'GET', `/webhooks/${id}`)).json().data;

  it('with status 410 is disabled at once, and gets pending deliveries after it is enabled', async () => {
    const { webhook, arrived, entry } = await webhookAt('/gone');
    sink.respond = (_received, response) => answer(response, 410);
    const id = await sendTest(heliograph, channel, webhook);
    expect(await entry(id, ({ status }) => status !== 'pending')).toMatchObject({
      status: 'failed',
      lastStatusCode: 410,
    });
    await waitFor('it to be disabled', async () => !(await show(webhook)).isActive);
    expect(await show(webhook)).toMatchObject({ isActive: false, disabledReason: 'gone' });
    for (const path of ['test', `deliveries/${id}/replay`]) {
      expect((await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/${path}`)).statusCode).toBe(409);
    }

    sink.respond = (_received, response) => answer(response, 204);
    const enabled = await call(heliograph, channel, 'PUT', `/webhooks/${webhook.id}`, { isActive: true });
    expect(enabled.json().data).toMatchObject({ isActive: true, disabledReason: null, failingSince: null });
    await call(heliograph, channel, 'POST', `/webhooks/${webhook.id}/deliveries/${id}/replay`);
    await arrived(2);
  });

  it('is disabled after failing for five days; one success restarts the count', async () => {
    const { webhook, entry } = await webhookAt('/failing');
    const other = await webhookAt('/well');
    const fail = async () => {
      sink.respond = ({ path }, response) => answer(response, path === '/hook/well' ? 204 : 500);
      const id = await sendTest(heliograph, channel, webhook);
      await entry(id, ({ attempts }) => attempts === 1);
      // Prevents another attempt in between.
      await heliograph.deps.prisma.webhookDelivery.update({
        where: { id },
        data: { status: 'failed', nextAttemptAt: null },
      });
      // The attempt's effect on its webhook is written after it, and before any later attempt.
      const later = await sendTest(heliograph, channel, other.webhook);
      await other.entry(later, ({ status }) => status === 'delivered');
    };
    await fail();
    const since = await waitFor('it to be failing', async () => (await show(webhook)).failingSince);
    clock.advance(4 * DAY_MS);
    await fail();
    expect(await show(webhook)).toMatchObject({ isActive: true, failingSince: since });

    sink.respond = (_received, response) => answer(response, 200);
    await sendTest(heliograph, channel, webhook);
    await waitFor('it to be well again', async () => (await show(webhook)).failingSince === null);
    clock.advance(2 * DAY_MS);
    await fail();
    await waitFor('it to be failing', async () => (await show(webhook)).failingSince);
    clock.advance(5 * DAY_MS - 60_000);
    await fail();
    expect((await show(webhook)).isActive).toBe(true);
    clock.advance(120_000);
    await fail();
    await waitFor('it to be disabled', async () => (await show(webhook)).disabledReason === 'failing');
    expect((await show(webhook)).isActive).toBe(false);
  });
});
