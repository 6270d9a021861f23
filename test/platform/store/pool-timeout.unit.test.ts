import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type FreezingProxy, freezingProxy } from '../../../chaos/world/freezing-proxy.mjs';
import { inTransaction, openPool, openPrisma } from '../../../src/platform/store/connections/pool.js';
import { isOutcomeUnknown, isStoreUnreachable } from '../../../src/platform/store/failures.js';
import { openTestStore, type TestStore } from '../../support/open-test-store.js';

const PATIENCE_MS = 5_000;
const log = pino({ level: 'silent' });
let store: TestStore;
let proxy: FreezingProxy;
/** Server that accepts connections but sends nothing, like the operating system while PostgreSQL is stopped by SIGSTOP. */
const silent = createServer();

beforeAll(async () => {
  store = await openTestStore();
  proxy = await freezingProxy(store.url);
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
});
afterAll(async () => {
  silent.close();
  await proxy.close();
  await store.close();
});

/** Lets one timeout pass with fake timers. Work that waits for a second timeout would never finish. */
async function expectSilence(start: () => readonly Promise<unknown>[]): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const results = Promise.allSettled(start());
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    for (const result of await results) {
      expect(result.status).toBe('rejected');
      const { reason } = result as PromiseRejectedResult;
      expect(isStoreUnreachable(reason), String(reason)).toBe(true);
      expect(isOutcomeUnknown(reason)).toBe(true);
    }
  } finally {
    vi.useRealTimers();
  }
}

describe('the timeout of a pool', () => {
  it('ends statements, transactions and waits for a connection, and discards the connections', async () => {
    const pool = openPool({ url: proxy.url, size: 4, log, patienceMs: PATIENCE_MS });
    const prisma = openPrisma(pool);
    await Promise.all(Array.from({ length: 4 }, () => pool.query('SELECT pg_sleep(0.05)')));
    // Prisma loads its engine with its first query, so the test runs a query before the proxy freezes.
    await prisma.account.findMany();
    const clients = await Promise.all(Array.from({ length: 4 }, () => pool.connect()));
    for (const client of clients) client.release();
    proxy.freeze();
    await expectSilence(() => [
      pool.query({ name: 'one', text: 'SELECT 1' }),
      prisma.account.findMany(),
      inTransaction(pool, (client) => client.query('SELECT 1')),
      prisma.$queryRaw`SELECT 1`,
      pool.query('SELECT 1'),
      prisma.account.findMany(),
    ]);
    proxy.thaw();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await prisma.$disconnect();
    await pool.end();
  });

  it('ends the wait for a new connection', async () => {
    const url = `postgresql://user:password@127.0.0.1:${(silent.address() as AddressInfo).port}/none`;
    const pool = openPool({ url, size: 1, log, patienceMs: PATIENCE_MS });
    await expectSilence(() => [pool.query('SELECT 1')]);
    await pool.end();
  });

  it('is preceded by a measured wait for a connection', async () => {
    const pool = openPool({ url: store.url, size: 1, log, patienceMs: 10_000 });
    await pool.query('SELECT 1');
    const sumBefore = pool.waits.sum;
    await inTransaction(pool, (client) => client.query('SELECT 1'));
    expect(pool.waits).toMatchObject({ count: 2, sum: sumBefore });
    await Promise.all([pool.query('SELECT pg_sleep(0.2)'), pool.query('SELECT 1'), inTransaction(pool, async () => 1)]);
    expect(pool.waits.count).toBe(5);
    expect(pool.waits.sum - sumBefore).toBeGreaterThan(0.39);
    await pool.end();
  });

  it('can be longer for a single statement', async () => {
    const pool = openPool({ url: store.url, size: 1, log, patienceMs: 1_500 });
    const slow = { text: 'SELECT pg_sleep(2)' };
    expect((await pool.query({ ...slow, patienceMs: 10_000 } as typeof slow)).rowCount).toBe(1);
    await expect(pool.query(slow)).rejects.toThrow('the store did not answer within 1500 ms');
    await pool.end();
  });
});
