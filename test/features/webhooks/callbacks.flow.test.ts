import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listEveryWebhook } from '../../../src/features/webhooks/every-webhook-store.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { createTestChannel } from '../../support/channels.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';
import { expectErrorV2, get, NUMBER, post, SMS, sendSms, sendV2 } from '../../surfaces/a/requests.js';
import { bringForward, verify } from './setup.js';
import { openSink, respondWith, type Sink } from './sink.js';

const heliograph = suiteApp({ settings: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
let account: TestAccount;
let secret: string;
let sink: Sink;

beforeAll(async () => {
  sink = await openSink();
  account = await createTestAccount(heliograph.deps);
  secret = (await post(heliograph.app, '/v2/callback-secret', account, '')).json().data.secret;
});
afterAll(() => sink?.close());
afterEach(() => {
  sink.respond = (_, response) => respondWith(response, 204);
});

const getMessageId = (response: { body: string; json(): { data: [{ message_id: string }] } }) =>
  response.json().data[0].message_id;

const waitForRequests = (path: string, count: number) =>
  waitFor(`${count} requests at ${path}`, () => {
    const matching = sink.received.filter((request) => request.path === path);
    return matching.length >= count && matching;
  });
const log = async (id: string) => (await get(heliograph.app, `/v2/messages/${id}/callbacks`, account)).json().data;

describe('callback_url', () => {
  it.each([
    ['/v1.0/sms/send', sendSms],
    ['/v2/send', sendV2],
  ] as const)('the callback_url of %s gets each status, signed with the secret of the account', async (name, send) => {
    const path = `/cb?for=${encodeURIComponent(name)}&n=1`;
    const callback_url = `http://127.0.0.1:${sink.port}${path}`;
    const id = getMessageId(await send(heliograph.app, account, { ...SMS, callback_url, reference: 'r-1' }));
    const requests = await waitForRequests(path, 2);
    for (const request of requests) verify(secret, request);
    expect(requests.map(({ event }) => event.data.status).sort()).toEqual(['delivered', 'sent']);
    expect(requests[0]?.event).toMatchObject({
      type: 'message.status',
      data: { messageId: id, to: NUMBER, reference: 'r-1' },
    });
    const entries = await waitFor('the log to show both delivered', async () => {
      const attempts = await log(id);
      return (
        attempts.length === 2 && attempts.every((entry: { status: string }) => entry.status === 'delivered') && attempts
      );
    });
    expect(entries.map(({ body }: { body: string }) => body).sort()).toEqual(requests.map(({ body }) => body).sort());
  });

  it('a callback_url is retried after a failure; a 410 stops only this URL, not its host', async () => {
    const toUrl = (path: string) => `http://127.0.0.1:${sink.port}${path}`;
    sink.respond = ({ path }, response) => respondWith(response, path === '/gone' ? 410 : 500);
    const goneId = getMessageId(await sendV2(heliograph.app, account, { ...SMS, callback_url: toUrl('/gone') }));
    await waitForRequests('/gone', 2);
    const failingId = getMessageId(await sendV2(heliograph.app, account, { ...SMS, callback_url: toUrl('/fails') }));
    await waitForRequests('/fails', 1);
    // After a failure, the host receives no requests for a moment, so the second callback may not have been attempted yet.
    const waitForTries = async (id: string, status: string) =>
      waitFor(`the callbacks to be ${status}`, async () => {
        const callbacks: { status: string; attempts: number; id: string; last_status_code: number }[] = await log(id);
        const hasStatus = callbacks.length === 2 && callbacks.every((callback) => callback.status === status);
        return (
          hasStatus &&
          callbacks.some((callback) => callback.attempts > 0) &&
          callbacks.sort((a, b) => b.attempts - a.attempts)
        );
      });
    const [goneCallback] = await waitForTries(goneId, 'failed');
    expect(goneCallback).toMatchObject({ last_status_code: 410 });
    const failedCallbacks = await waitForTries(failingId, 'pending');
    const { pool } = heliograph.deps;
    const listFailing = () => listEveryWebhook(pool, { accountId: account.id, onlyFailing: true, limit: 10 });
    const [listed] = await waitFor('the host to be listed', async () => {
      const failing = await listFailing();
      return failing.length > 0 && failing;
    });
    expect(listed).toMatchObject({
      isCallback: true,
      isActive: true,
      disabledReason: null,
      failingSince: expect.any(Date),
    });
    sink.respond = (_, response) => respondWith(response, 204);
    for (const { id } of failedCallbacks) await bringForward(heliograph, id);
    await waitFor('the next try to succeed', async () =>
      (await log(failingId)).every((callback: { status: string }) => callback.status === 'delivered'),
    );
    await waitFor('the host to fail no more', async () => (await listFailing()).length === 0);
    const replayed = await post(
      heliograph.app,
      `/v2/messages/${goneId}/callbacks/${goneCallback?.id}/replay`,
      account,
      '',
    );
    expect(replayed.json().data).toMatchObject({ id: goneCallback?.id, status: 'pending' });
    await waitForRequests('/gone', 3);
    const { prisma } = heliograph.deps;
    expect(await prisma.webhook.count({ where: { accountId: account.id, isCallback: true } })).toBe(1);
    expect((await get(heliograph.app, '/v2/webhooks', account)).json().data).toEqual([]);
  });

  it('a callback_url also gets the statuses of the fallback', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const path = '/fallback';
    const response = await sendV2(heliograph.app, channel.account, {
      to: '15005550002',
      from: 'Heliograph',
      channel: 'whatsapp',
      message: 'Hello',
      fallback: { channel: 'sms', from: 'Heliograph' },
      callback_url: `http://127.0.0.1:${sink.port}${path}`,
      metadata: { order: '7' },
    });
    const requests = await waitForRequests(path, 4);
    const statuses = requests.map(({ event: { data } }) => `${data.channel} ${data.status}`).sort();
    expect(statuses).toEqual(['sms sent', 'sms undelivered', 'whatsapp sent', 'whatsapp undelivered']);
    for (const { event } of requests) expect(event.data.metadata).toEqual({ order: '7' });
    expect(getMessageId(response)).toBe(
      requests.find(({ event }) => event.data.channel === 'whatsapp')?.event.data.messageId,
    );
  });

  it('callbacks are signed with both secrets for a day after a rotation', async () => {
    const previousSecret = secret;
    const rotation = (await post(heliograph.app, '/v2/callback-secret', account, '')).json().data;
    expect(rotation).toMatchObject({ previous_secret_expires_at: expect.any(String) });
    secret = rotation.secret;
    await sendV2(heliograph.app, account, { ...SMS, callback_url: `http://127.0.0.1:${sink.port}/rotated` });
    for (const request of await waitForRequests('/rotated', 2)) {
      verify(secret, request);
      verify(previousSecret, request);
    }
  });

  it('callbacks are not visible to other accounts, and a message without a callback_url has none', async () => {
    const id = getMessageId(await sendV2(heliograph.app, account, SMS));
    expect(await log(id)).toEqual([]);
    const otherAccount = await createTestAccount(heliograph.deps);
    expectErrorV2(await get(heliograph.app, `/v2/messages/${id}/callbacks`, otherAccount), 404);
    expectErrorV2(await post(heliograph.app, `/v2/messages/${id}/callbacks/x/replay`, account, ''), 404);
  });

  it('a callback_url is refused with 400 if it may not be called, and nothing is stored', async () => {
    const strict = await testApp({ role: 'api', sharesWith: heliograph });
    try {
      const ownAccount = await createTestAccount(heliograph.deps);
      for (const callback_url of ['http://127.0.0.1/', 'ftp://example.com/', 'https://a:b@example.com/', '']) {
        for (const path of ['/v2/send', '/v2/estimate']) {
          expectErrorV2(await post(strict.app, path, ownAccount, { ...SMS, callback_url }), 400, ['callback_url']);
        }
      }
      expect(await heliograph.deps.prisma.webhook.count({ where: { accountId: ownAccount.id } })).toBe(0);
      expect(await heliograph.deps.prisma.message.count({ where: { accountId: ownAccount.id } })).toBe(0);
    } finally {
      await strict.close();
    }
  });
});
