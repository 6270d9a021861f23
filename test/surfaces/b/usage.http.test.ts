import { connect } from 'node:net';
import type { Pool, QueryConfig } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Maintenance } from '../../../src/features/maintenance/maintenance.js';
import { UsageLog } from '../../../src/features/usage/usage-log.js';
import { createTestAccount } from '../../support/accounts.js';
import { createTestChannel, createTestKey, type TestChannel } from '../../support/channels.js';
import { ManualClock } from '../../support/manual-clock.js';
import { listBlockedStatements } from '../../support/store/blocked-statements.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const START = '2027-01-15T12:00:30.500Z';

let heliograph: TestApp;
let clock: ManualClock;

beforeAll(async () => {
  clock = new ManualClock(START);
  // Without a worker, only the tests delete old requests.
  heliograph = await testApp({ role: 'api', clock });
});
afterAll(() => heliograph?.close());

interface Usage {
  last24Hours: number;
  last7Days: number;
  total: number;
  recentRequests: { endpoint: string; method: string; statusCode: number; responseTime: number; createdAt: string }[];
}

async function getUsage({ headers }: Pick<TestChannel, 'headers'>): Promise<Usage> {
  const response = await heliograph.app.inject({ url: '/api/v1/account/usage', headers });
  expect(response.statusCode).toBe(200);
  const body = response.json();
  expect(body.success).toBe(true);
  return body.data;
}

const countStoredRequests = ({ channelId }: TestChannel) =>
  heliograph.deps.prisma.apiRequest.count({ where: { channelId } });

const waitForRequests = (channel: TestChannel, count: number) =>
  waitFor(`${count} stored requests`, async () => (await countStoredRequests(channel)) === count);

const requestAt = ({ channelId }: TestChannel, createdAt: Date) => ({
  channelId,
  endpoint: '/api/v1/contacts',
  method: 'GET',
  statusCode: 200,
  responseTime: 1,
  createdAt,
});

function recordAt(channel: TestChannel, times: readonly Date[]): void {
  for (const time of times) heliograph.deps.usage.record(requestAt(channel, time));
}

describe('Usage (Surface B)', () => {
  it('has exactly the fields of the contract', async () => {
    const channel = await createTestChannel(heliograph.deps);
    expect(await getUsage(channel)).toEqual({ last24Hours: 0, last7Days: 0, total: 0, recentRequests: [] });
    await waitForRequests(channel, 1);
    expect(await getUsage(channel)).toEqual({
      last24Hours: 1,
      last7Days: 1,
      total: 1,
      recentRequests: [
        {
          endpoint: '/api/v1/account/usage',
          method: 'GET',
          statusCode: 200,
          responseTime: expect.any(Number),
          createdAt: clock.now().toISOString(),
        },
      ],
    });
  });

  it('counts last24Hours and last7Days exactly at their limits', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const now = clock.now().getTime();
    const ages = [0, 1, 30_499, 30_500, 30_501, 60_000].flatMap((offset) =>
      [DAY_MS, 7 * DAY_MS].flatMap((window) => [window - offset, window + offset + 1]),
    );
    recordAt(
      channel,
      [...ages, 0, 1, HOUR_MS].map((age) => new Date(now - age)),
    );
    await waitForRequests(channel, ages.length + 3);
    const countInside = (window: number) => [...ages, 0, 1, HOUR_MS].filter((age) => age < window).length;
    expect(countInside(DAY_MS)).toBe(8);
    expect(await getUsage(channel)).toMatchObject({
      last24Hours: countInside(DAY_MS),
      last7Days: countInside(7 * DAY_MS),
      total: ages.length + 3,
    });
  });

  it('no longer counts a request in last24Hours and last7Days once it is too old', async () => {
    const freshClock = new ManualClock('2027-03-10T08:15:42.123Z');
    const freshApp = await testApp({ sharesWith: heliograph, role: 'api', clock: freshClock });
    try {
      const channel = await createTestChannel(freshApp.deps);
      const getCounts = async () =>
        (await freshApp.app.inject({ url: '/api/v1/account/usage', headers: channel.headers })).json().data as Usage;
      await getCounts();
      await waitForRequests(channel, 1);
      const firstTime = freshClock.now().getTime();
      freshClock.set(new Date(firstTime + DAY_MS - 1));
      expect(await getCounts()).toMatchObject({ last24Hours: 1, last7Days: 1 });
      await waitForRequests(channel, 2);
      freshClock.set(new Date(firstTime + DAY_MS));
      expect(await getCounts()).toMatchObject({ last24Hours: 1, last7Days: 2 });
      await waitForRequests(channel, 3);
      freshClock.set(new Date(firstTime + 7 * DAY_MS - 1));
      expect(await getCounts()).toMatchObject({ last24Hours: 0, last7Days: 3, total: 3 });
      await waitForRequests(channel, 4);
      freshClock.set(new Date(firstTime + 7 * DAY_MS));
      expect(await getCounts()).toMatchObject({ last24Hours: 1, last7Days: 3, total: 4 });
    } finally {
      await freshApp.close();
    }
  });

  it('lists the last 20 requests in recentRequests, newest first, without query strings', async () => {
    const channel = await createTestChannel(heliograph.deps);
    for (let count = 0; count < 22; count++) {
      clock.advance(1000);
      await heliograph.app.inject({ url: `/api/v1/account?number=${count}`, headers: channel.headers });
    }
    await waitForRequests(channel, 22);
    const { recentRequests, total } = await getUsage(channel);
    expect(total).toBe(22);
    expect(recentRequests).toHaveLength(20);
    const newest = clock.now().getTime();
    for (const [index, recentRequest] of recentRequests.entries()) {
      expect(recentRequest).toEqual({
        endpoint: '/api/v1/account',
        method: 'GET',
        statusCode: 200,
        responseTime: expect.any(Number),
        createdAt: new Date(newest - index * 1000).toISOString(),
      });
      expect(recentRequest.responseTime).toBeGreaterThan(0);
    }
  });

  it('counts refused requests of a valid key, but none of an invalid key', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const narrowKey = await createTestKey(heliograph.deps, channel, ['messages:send']);
    const get = (url: string, headers: object) => heliograph.app.inject({ url, headers: { ...headers } });
    expect((await get('/api/v1/account', narrowKey.headers)).statusCode).toBe(403);
    const wrongHeaders = { ...channel.headers, 'x-api-secret': 'wrong' };
    expect((await get('/api/v1/account', wrongHeaders)).statusCode).toBe(401);
    expect((await get('/api/v1/nothing', channel.headers)).statusCode).toBe(404);
    expect((await get('/api/v1/account', channel.headers)).statusCode).toBe(200);
    await waitForRequests(channel, 2);
    expect((await getUsage(channel)).recentRequests.map(({ statusCode }) => statusCode).sort()).toEqual([200, 403]);
  });

  it('counts the requests of each channel separately', async () => {
    const account = await createTestAccount(heliograph.deps);
    const firstChannel = await createTestChannel(heliograph.deps, account);
    const secondChannel = await createTestChannel(heliograph.deps, account);
    await getUsage(firstChannel);
    await waitForRequests(firstChannel, 1);
    expect((await getUsage(secondChannel)).total).toBe(0);
    expect((await getUsage(firstChannel)).total).toBe(1);
  });

  it('counts a request whose client disconnected before the response', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { port } = new URL(await heliograph.app.listen({ port: 0, host: '127.0.0.1' }));
    const client = await heliograph.deps.pool.connect();
    try {
      await client.query('BEGIN; LOCK TABLE usage_totals');
      const headers = Object.entries(channel.headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(`GET /api/v1/account HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}\r\n`);
      });
      // The statement that counts earlier requests may also wait for the lock, but it is an INSERT.
      await waitFor('the request to be blocked', async () => {
        const blockedStatements = await listBlockedStatements(heliograph.deps.pool, client);
        return blockedStatements.some((statement) => !statement.includes('INSERT'));
      });
      socket.destroy();
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    await waitForRequests(channel, 1);
  });
});

describe('the usage log', () => {
  it('stores its buffer when it is closed, and counts each request once despite retries', async () => {
    const otherApp = await testApp({ sharesWith: heliograph, role: 'api', clock });
    const channel = await createTestChannel(heliograph.deps);
    // Refused requests are counted too, and do not wait for the store.
    const { headers } = await createTestKey(heliograph.deps, channel, ['messages:send']);
    const responses = await Promise.all(
      Array.from({ length: 300 }, () => otherApp.app.inject({ url: '/api/v1/account', headers: { ...headers } })),
    );
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([403]));
    await otherApp.close();
    expect(await countStoredRequests(channel)).toBe(300);
    expect(await getUsage(channel)).toMatchObject({ last24Hours: 300, total: 300 });
  });

  it('loses nothing when two processes count the same channels', async () => {
    const channels = await Promise.all(Array.from({ length: 5 }, () => createTestChannel(heliograph.deps)));
    const { pool } = heliograph.deps;
    const logs = [1, 2].map(() => new UsageLog({ pool, log: pino({ level: 'silent' }) }));
    for (let count = 0; count < 4000; count++) {
      const time = new Date(clock.now().getTime() - (count % 100) * 1000);
      const order = count % 2 === 0 ? channels : channels.toReversed();
      for (const [index, log] of logs.entries()) {
        log.record(requestAt(order[(count + index) % order.length] as TestChannel, time));
      }
    }
    await Promise.all(logs.map((log) => log.close()));
    for (const channel of channels) expect(await getUsage(channel)).toMatchObject({ total: 1600, last24Hours: 1600 });
  });

  it('retries failed writes, and adds nothing that the store had already committed', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const { pool } = heliograph.deps;
    const attempts: (() => Promise<unknown>)[] = [];
    const flakyPool = {
      query: async (statement: QueryConfig) => {
        const run = () => pool.query(statement);
        attempts.push(run);
        if (attempts.length === 1) throw new Error('refused');
        await run();
        if (attempts.length === 2) throw new Error('the answer is lost');
      },
    } as unknown as Pool;
    const log = new UsageLog({ pool: flakyPool, log: pino({ level: 'silent' }) });
    for (let count = 0; count < 5; count++) log.record(requestAt(channel, clock.now()));
    await waitFor('a third attempt', () => attempts.length === 3);
    await log.close();
    expect(attempts).toHaveLength(3);
    expect(await getUsage(channel)).toMatchObject({ total: 5, last24Hours: 5 });
  });

  it('buffers a limited number of requests while the store is unavailable, and logs how many were lost', async () => {
    const channel = await createTestChannel(heliograph.deps);
    let isUnavailable = true;
    let storedCount = 0;
    const pool = {
      query: async ({ values }: { values: unknown[][] }) => {
        if (isUnavailable) throw new Error('away');
        storedCount += values[0]?.length ?? 0;
      },
    } as unknown as Pool;
    const logLines: string[] = [];
    const log = new UsageLog({ pool, log: pino({ level: 'error' }, { write: (line) => logLines.push(line) }) });
    for (let count = 0; count < 50_007; count++) log.record(requestAt(channel, clock.now()));
    isUnavailable = false;
    await log.close();
    expect(storedCount).toBe(50_000);
    expect(logLines.map((line) => JSON.parse(line))).toMatchObject([{ requests: 7 }]);
  });

  it('deletes requests after eight days, but keeps the totals and the last 20', async () => {
    const channel = await createTestChannel(heliograph.deps);
    const idleChannel = await createTestChannel(heliograph.deps);
    const now = clock.now().getTime();
    const ages = [8 * DAY_MS + HOUR_MS, 8 * DAY_MS, 8 * DAY_MS - 1, HOUR_MS];
    recordAt(
      channel,
      [...ages, ...Array.from({ length: 20 }, () => 0)].map((age) => new Date(now - age)),
    );
    recordAt(
      idleChannel,
      Array.from({ length: 30 }, (_, index) => new Date(now - 9 * DAY_MS - index * 1000)),
    );
    await waitForRequests(channel, 24);
    await waitForRequests(idleChannel, 30);
    const { pool } = heliograph.deps;
    const log = pino({ level: 'silent' });
    await new Maintenance({ pool, log, clock, retentionDays: 0 }).sweep();
    expect(await countStoredRequests(channel)).toBe(22);
    expect(await getUsage(channel)).toMatchObject({ last7Days: 21, total: 24 });
    expect(await countStoredRequests(idleChannel)).toBe(20);
    const idleUsage = await getUsage(idleChannel);
    expect(idleUsage).toMatchObject({ last7Days: 0, total: 30 });
    expect(idleUsage.recentRequests).toHaveLength(20);
    const minutes = await heliograph.deps.prisma.usageMinute.count({
      where: { minute: { lte: new Date(now - 8 * DAY_MS) } },
    });
    expect(minutes).toBe(0);
  });
});
