import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { type FreezingProxy, freezingProxy } from '../../chaos/world/freezing-proxy.mjs';
import { releaseMessages } from '../../src/messages/queue/relay/relay-store.js';
import { readBalance } from '../support/accounts.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { closersForEachTest } from '../support/for-suite.js';
import { waitForAllMessages } from '../support/sends.js';
import { createTestDatabase } from '../support/store/databases.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';

/** Timeout of a request in milliseconds, short enough for two overlapping waves of requests. */
const TIMEOUT_MS = 3_000;
/** Price of one part on the standard rate card, in millionths. */
const PRICE_MICROS = 10_000n;

const closers = closersForEachTest();

interface FrozenStore {
  heliograph: TestApp;
  proxy: FreezingProxy;
  channel: TestChannel;
}

async function open(): Promise<FrozenStore> {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  const proxy = await freezingProxy(database.url);
  closers.push(() => proxy.close());
  const heliograph = await testApp({ settings: { DATABASE_URL: proxy.url, DATABASE_TIMEOUT_MS: String(TIMEOUT_MS) } });
  closers.push(() => heliograph.close());
  return { heliograph, proxy, channel: await createTestChannel(heliograph.deps) };
}

const createSms = (channel: TestChannel, key?: string): InjectOptions => ({
  method: 'POST',
  url: '/v2/send',
  headers: { ...channel.account.headers, ...(key && { 'idempotency-key': key }) },
  payload: { to: '15005550100', from: 'Frozen', channel: 'sms', message: 'Does it answer?' },
});

function listRequests(channel: TestChannel): InjectOptions[] {
  const a = (url: string): InjectOptions => ({ method: 'GET', url, headers: channel.account.headers });
  const b = (url: string): InjectOptions => ({ method: 'GET', url, headers: channel.headers });
  const id = '01900000-0000-7000-8000-000000000000';
  return [
    a('/v1.0/account/balance'),
    a(`/v1.0/sms/status/${id}`),
    a(`/v2/messages/${id}`),
    {
      method: 'POST',
      url: '/v1.0/sms/send',
      headers: channel.account.headers,
      payload: { from: 'Frozen', to: '15005550100,15005550101', message: 'Does it answer?' },
    },
    ...Array.from({ length: 25 }, () => createSms(channel)),
    createSms(channel, 'frozen'),
    createSms(channel, 'frozen'),
    ...['contacts', 'contacts/groups', 'templates', 'campaigns', 'conversations', 'webhooks', 'account'].map((list) =>
      b(`/api/v1/${list}`),
    ),
    b(`/api/v1/messages/status/${id}`),
    {
      method: 'POST',
      url: '/api/v1/messages/reply',
      headers: channel.headers,
      payload: { to: '15005550100', message: 'Does it answer?' },
    },
  ];
}

async function expectUnavailable({ app }: TestApp, request: InjectOptions): Promise<void> {
  const response = await app.inject(request);
  const description = `${request.method} ${request.url}: ${response.body}`;
  expect(response.statusCode, description).toBe(503);
  expect(response.headers['retry-after'], description).toBe('1');
  const { url } = request as { url: string };
  if (url.startsWith('/api')) {
    expect(response.json(), description).toMatchObject({ success: false, error: { code: 'UNAVAILABLE' } });
  } else {
    expect(response.json(), description).toMatchObject({
      status: 'error',
      code: url.startsWith('/v1.0') ? '503' : 503,
    });
  }
}

async function sendWaves({ heliograph, channel }: FrozenStore): Promise<void> {
  const sendWave = () => listRequests(channel).map((request) => expectUnavailable(heliograph, request));
  const secondWave = new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS / 2)).then(() => Promise.all(sendWave()));
  await Promise.all([...sendWave(), secondWave]);
}

async function expectRecovery({ heliograph, channel }: FrozenStore, balanceBefore: bigint): Promise<void> {
  const { app, deps } = heliograph;
  const firstSend = await waitFor('a send to be accepted', async () => {
    const response = await app.inject(createSms(channel, 'frozen'));
    return response.statusCode === 200 && response.json();
  });
  const repeated = await app.inject(createSms(channel, 'frozen'));
  expect(repeated.json().data).toEqual(firstSend.data);
  // Releases the messages, so that the test does not wait for the leases of lost claims or for the relay.
  await releaseMessages(deps.pool);
  const deliveredCount = await waitForAllMessages(deps, channel.account.id, 'delivered');
  expect(balanceBefore - (await readBalance(deps, channel.account.id))).toBe(BigInt(deliveredCount) * PRICE_MICROS);
  const lines = await deps.prisma.ledgerEntry.aggregate({
    where: { accountId: channel.account.id, kind: 'charge' },
    _sum: { messageCount: true },
  });
  expect(lines._sum.messageCount).toBe(deliveredCount);
}

describe('a frozen PostgreSQL', () => {
  it('every request gets a 503 after the database timeout, with open or new connections, and nothing is lost', async () => {
    const [warm, cold] = await Promise.all([open(), open()]);
    const balanceBefore = 100_000_000n;
    for (const { heliograph, channel } of [warm, cold]) {
      // These requests fill the key caches and open connections.
      const responses = await Promise.all(listRequests(channel).map((request) => heliograph.app.inject(request)));
      expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 403, 404]));
      // Waits until the workers are running, because the queue creates its tables when it is first used.
      await waitForAllMessages(heliograph.deps, channel.account.id, 'delivered');
    }
    warm.proxy.freeze();
    cold.proxy.freeze();
    cold.proxy.cut();
    await Promise.all([sendWaves(warm), sendWaves(cold)]);
    warm.proxy.thaw();
    cold.proxy.thaw();
    await Promise.all([expectRecovery(warm, balanceBefore), expectRecovery(cold, balanceBefore)]);
  });
});
