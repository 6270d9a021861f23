import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { releaseMessages, takeDueMessages, takeLostMessages } from '../../../src/messages/queue/relay/relay-store.js';
import { claimMessages } from '../../../src/messages/send/send-store.js';
import { createTestAccount, readBalance } from '../../support/accounts.js';
import { describeEachBackend, describeRedis } from '../../support/backends.js';
import { ControlledFaults } from '../../support/controlled-faults.js';
import { type RedisServer, startRedis } from '../../support/processes/redis-server.js';
import { accept, sendRequest, waitForAllMessages } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { type TestApp, testApp } from '../../support/test-app.js';
import { waitFor } from '../../support/wait-for.js';

const PART = 10_000n;

describeEachBackend('a lost hint', (backend) => {
  const faults = new ControlledFaults();
  const api = suiteApp({ backend, role: 'api', faults });
  const worker = suiteApp({ role: 'worker', sharesWith: api });

  it('a lost hint is replaced by the relay within seconds, because the message is committed', async () => {
    const account = await createTestAccount(api.deps);
    faults.fail('accept:committed', new Error('the process died between commit and queue'));
    await expect(api.deps.acceptor.accept(sendRequest(account))).rejects.toThrow('between commit and queue');

    expect(await waitForAllMessages(worker.deps, account.id, 'delivered')).toBe(1);
    expect(await readBalance(api.deps, account.id)).toBe(100_000_000n - PART);
  });

  it.each([
    // The row looks like a retry that the relay queued six seconds ago.
    ['a retry', `look_count = 1, not_before = now() - interval '6 seconds', next_look = now() + interval '24 seconds'`],
    // The row looks like a dead process's message that the relay has queued many times, most recently ten seconds ago.
    [
      'a message whose lease has ended',
      `look_count = 7, lease_until = now() - interval '15 minutes', next_look = now() + interval '590 seconds'`,
    ],
  ])('a lost hint for %s is noticed just as soon', async (_, state) => {
    const account = await createTestAccount(api.deps);
    faults.fail('accept:committed', new Error('the process died between commit and queue'));
    await expect(api.deps.acceptor.accept(sendRequest(account))).rejects.toThrow('between commit and queue');
    await api.deps.pool.query(`UPDATE messages SET status = 'sending', attempts = 1, ${state} WHERE account_id = $1`, [
      account.id,
    ]);
    expect(await waitForAllMessages(worker.deps, account.id, 'delivered')).toBe(1);
  });

  it('a lost hint is not replaced while a worker holds the message', async () => {
    const account = await createTestAccount(api.deps);
    faults.fail('accept:committed', new Error('the process died between commit and queue'));
    await expect(api.deps.acceptor.accept(sendRequest(account))).rejects.toThrow('between commit and queue');
    await api.deps.pool.query(
      `UPDATE messages SET status = 'sending', attempts = 1, look_count = 7, lease_until = now() + interval '1 minute',
              next_look = now() + interval '590 seconds' WHERE account_id = $1`,
      [account.id],
    );
    expect(await takeLostMessages(api.deps.pool, 0)).toEqual([]);
  });

  it('an API process and a worker process deliver messages together', async () => {
    const account = await createTestAccount(api.deps);
    await Promise.all(Array.from({ length: 100 }, () => accept(api.deps, account)));
    expect(await waitForAllMessages(worker.deps, account.id, 'delivered')).toBe(100);
  });
});

describeRedis('Redis that loses its data or is unavailable', () => {
  let redis: RedisServer;
  let api: TestApp;
  let worker: TestApp | undefined;

  beforeAll(async () => {
    redis = await startRedis();
    api = await testApp({ backend: 'redis', role: 'api', settings: { REDIS_URL: redis.url } });
  });
  afterAll(async () => {
    await worker?.close();
    await api.close();
    await redis.close();
  });

  it('losing all jobs of a backlog loses no message and charges each once', async () => {
    const account = await createTestAccount(api.deps);
    await Promise.all(
      Array.from({ length: 20 }, () => accept(api.deps, account, { to: Array(10).fill('15005550100') })),
    );
    const { Redis } = await import('ioredis');
    const client = new Redis(redis.url);
    await waitFor('the hints to be in Redis', async () => (await client.dbsize()) > 0);
    await client.flushall();
    client.disconnect();

    worker = await testApp({ role: 'worker', sharesWith: api, settings: { REDIS_URL: redis.url } });
    expect(await waitForAllMessages(api.deps, account.id, 'delivered')).toBe(200);
    expect(await readBalance(api.deps, account.id)).toBe(100_000_000n - 200n * PART);
  });

  it('while the queue is away, messages are accepted without delay and sent once it is back', async () => {
    const account = await createTestAccount(api.deps);
    await redis.stop('SIGKILL');
    // Adding a job to the queue finishes only once Redis is running again.
    for (let round = 0; round < 5; round += 1) await accept(api.deps, account);
    redis = await startRedis({ port: redis.port, folder: redis.folder });
    expect(await waitForAllMessages(api.deps, account.id, 'delivered')).toBe(5);
    expect(await readBalance(api.deps, account.id)).toBe(100_000_000n - 5n * PART);
  });
});

describe('messages of a worker that dies', () => {
  it('messages of a dead worker are taken over when its lease expires, and the attempt counts', async () => {
    const api = await testApp({ role: 'api' });
    const account = await createTestAccount(api.deps);
    const ids = await accept(api.deps, account);
    await claimMessages(api.deps.pool, ids, new Date());
    // Expires the dead worker's lease, which would otherwise take 30 seconds.
    await api.deps.pool.query(
      "UPDATE messages SET lease_until = now() - interval '1 second', next_look = now() - interval '1 second' WHERE id = $1",
      ids,
    );
    const otherWorker = await testApp({ role: 'worker', sharesWith: api });
    try {
      await waitForAllMessages(otherWorker.deps, account.id, 'delivered');
      const row = await otherWorker.deps.prisma.message.findUniqueOrThrow({ where: { id: ids[0] } });
      expect(row).toMatchObject({ attempts: 2, maybeAccepted: true });
      expect(await readBalance(otherWorker.deps, account.id)).toBe(100_000_000n - PART);
    } finally {
      await otherWorker.close();
      await api.close();
    }
  });
});

describe('a restart with a backlog', () => {
  const api = suiteApp({ role: 'api' });

  it('the first look after a restart covers every account, however many messages of another account wait', async () => {
    const bulk = await createTestAccount(api.deps);
    await accept(api.deps, bulk, { to: Array(1_500).fill('15005550100') });
    const [single] = await accept(api.deps, await createTestAccount(api.deps));
    await releaseMessages(api.deps.pool);
    const dueMessages = await takeDueMessages(api.deps.pool, { now: new Date(), repeatingCarriers: [], reach: null });
    expect(dueMessages).toHaveLength(1_000);
    expect(dueMessages.map(({ id }) => id)).toContain(single);
    expect(dueMessages.every(({ action }) => action === 'queue')).toBe(true);
  });

  it('a restart ends leases first, and updates only a limited number of waiting messages', async () => {
    const account = await createTestAccount(api.deps);
    const ids = await accept(api.deps, account, { to: Array(30).fill('15005550100') });
    const leasedIds = ids.slice(20, 25);
    await claimMessages(api.deps.pool, leasedIds, new Date());
    const listReleased = async () => {
      const { rows } = await api.deps.pool.query<{ id: string }>(
        `SELECT id FROM messages WHERE account_id = $1 AND next_look <= now() AND (lease_until IS NULL OR lease_until <= now())
         ORDER BY id`,
        [account.id],
      );
      return rows.map(({ id }) => id);
    };
    expect(await listReleased()).toEqual([]);
    await releaseMessages(api.deps.pool, leasedIds.length);
    expect(await listReleased()).toEqual([...leasedIds].sort());
  });

  it('a full look finds messages due long ago, and one limited to a few seconds does not', async () => {
    const account = await createTestAccount(api.deps);
    const [oldId, recentId] = await accept(api.deps, account, { to: ['15005550100', '15005550101'] });
    await api.deps.pool.query(
      `UPDATE messages SET next_look = now() - CASE WHEN id = $1 THEN interval '1 minute' ELSE interval '1 second' END
       WHERE account_id = $2`,
      [oldId, account.id],
    );
    const takeDue = async (reach: number | null) =>
      (await takeDueMessages(api.deps.pool, { now: new Date(), repeatingCarriers: [], reach }))
        .filter(({ accountId }) => accountId === account.id)
        .map(({ id }) => id);
    expect(await takeDue(30_000)).toEqual([recentId]);
    expect(await takeDue(null)).toEqual([oldId]);
  });
});
