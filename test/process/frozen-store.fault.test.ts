import type { InjectOptions } from 'fastify';
import { describe, expect, it } from 'vitest';
import { type FreezingProxy, freezingProxy } from '../../chaos/world/freezing-proxy.mjs';
import { releaseMessages } from '../../src/messages/queue/relay/relay-store.js';
import { balanceOf } from '../support/accounts.js';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { closersOfEachTest } from '../support/for-suite.js';
import { allReach } from '../support/sends.js';
import { createTestDatabase } from '../support/store/databases.js';
import { type TestApp, testApp } from '../support/test-app.js';
import { waitFor } from '../support/wait-for.js';

/** Two overlapping waves of requests must finish while the store is frozen. */
const TIMEOUT_MS = 3_000;
/** For one part on the standard rate card, in millionths. */
const PRICE_MICROS = 10_000n;

const closers = closersOfEachTest();

interface Frozen {
  heliograph: TestApp;
  proxy: FreezingProxy;
  channel: TestChannel;
}

async function open(): Promise<Frozen> {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  const proxy = await freezingProxy(database.url);
  closers.push(() => proxy.close());
  const heliograph = await testApp({ settings: { DATABASE_URL: proxy.url, DATABASE_TIMEOUT_MS: String(TIMEOUT_MS) } });
  closers.push(() => heliograph.close());
  return { heliograph, proxy, channel: await createTestChannel(heliograph.deps) };
}

const sms = (channel: TestChannel, key?: string): InjectOptions => ({
  method: 'POST',
  url: '/v2/send',
  headers: { ...channel.account.headers, ...(key && { 'idempotency-key': key }) },
  payload: { to: '15005550100', from: 'Frozen', channel: 'sms', message: 'Does it answer?' },
});

function requests(channel: TestChannel): InjectOptions[] {
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
    ...Array.from({ length: 25 }, () => sms(channel)),
    sms(channel, 'frozen'),
    sms(channel, 'frozen'),
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
  const answer = await app.inject(request);
  const description = `${request.method} ${request.url}: ${answer.body}`;
  expect(answer.statusCode, description).toBe(503);
  expect(answer.headers['retry-after'], description).toBe('1');
  const { url } = request as { url: string };
  if (url.startsWith('/api')) {
    expect(answer.json(), description).toMatchObject({ success: false, error: { code: 'UNAVAILABLE' } });
  } else {
    expect(answer.json(), description).toMatchObject({ status: 'error', code: url.startsWith('/v1.0') ? '503' : 503 });
  }
}

async function sendWaves({ heliograph, channel }: Frozen): Promise<void> {
  const wave = () => requests(channel).map((request) => expectUnavailable(heliograph, request));
  const later = new Promise((resolve) => setTimeout(resolve, TIMEOUT_MS / 2)).then(() => Promise.all(wave()));
  await Promise.all([...wave(), later]);
}

async function expectRecovery({ heliograph, channel }: Frozen, before: bigint): Promise<void> {
  const { app, deps } = heliograph;
  const keyed = await waitFor('a send to be accepted', async () => {
    const answer = await app.inject(sms(channel, 'frozen'));
    return answer.statusCode === 200 && answer.json();
  });
  const repeated = await app.inject(sms(channel, 'frozen'));
  expect(repeated.json().data).toEqual(keyed.data);
  // Saves waiting for leases of claims whose response was lost, and for the first run of the relay.
  await releaseMessages(deps.pool);
  const sent = await allReach(deps, channel.account.id, 'delivered');
  expect(before - (await balanceOf(deps, channel.account.id))).toBe(BigInt(sent) * PRICE_MICROS);
  const lines = await deps.prisma.ledgerEntry.aggregate({
    where: { accountId: channel.account.id, kind: 'charge' },
    _sum: { messageCount: true },
  });
  expect(lines._sum.messageCount).toBe(sent);
}

describe('a frozen PostgreSQL', () => {
  it('every request gets a 503 after the database timeout, with open or new connections, and nothing is lost', async () => {
    const [warm, cold] = await Promise.all([open(), open()]);
    const before = 100_000_000n;
    for (const { heliograph, channel } of [warm, cold]) {
      // Fills the key caches and opens connections.
      const answers = await Promise.all(requests(channel).map((request) => heliograph.app.inject(request)));
      expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 403, 404]));
      // Waits until the workers run: the queue creates its tables when it is first used.
      await allReach(heliograph.deps, channel.account.id, 'delivered');
    }
    warm.proxy.freeze();
    cold.proxy.freeze();
    cold.proxy.cut();
    await Promise.all([sendWaves(warm), sendWaves(cold)]);
    warm.proxy.thaw();
    cold.proxy.thaw();
    await Promise.all([expectRecovery(warm, before), expectRecovery(cold, before)]);
  });
});
