import { pino } from 'pino';
import { expect, it } from 'vitest';
import { readUsers } from '../../../chaos/world/redis/rights.mjs';
import { openRedisBackend } from '../../../src/messages/queue/backend.js';
import { connectRedis, openRedis, requireNoEviction } from '../../../src/platform/redis/connections.js';
import { SharedWindows } from '../../../src/surfaces/http/limits/shared-windows.js';
import { closersForEachTest } from '../../support/for-suite.js';
import { describeOwnRedis, type RedisServer, startRedis } from '../../support/processes/redis-server.js';
import { waitFor } from '../../support/wait-for.js';

const silentLog = pino({ level: 'silent' });
const closers = closersForEachTest();
const ONCE = { priority: 1, removeOnComplete: true, removeOnFail: true, attempts: 1 };

async function createUser(server: RedisServer, ...extraRules: string[]) {
  const admin = openRedis(server.url, { maxRetriesPerRequest: 0 }, () => undefined);
  closers.push(async () => admin.disconnect());
  const [line = ''] = readUsers('Redis', '>secret');
  const [, name = '', ...rules] = line.split(' ');
  await admin.call('ACL', 'SETUSER', name, ...rules, ...extraRules);
  return { url: server.url.replace('//', `//${name}:secret@`), admin };
}

describeOwnRedis('the documented rights of a Redis user', () => {
  it('the documented Redis rights allow everything that the queue and rate limits need', async () => {
    const server = await startRedis();
    closers.push(() => server.close());
    const { url, admin } = await createUser(server);
    const redis = connectRedis(url, silentLog);
    closers.push(async () => redis.disconnect());
    await requireNoEviction(redis, 5_000);
    const windows = new SharedWindows(redis, 'heliograph:rate-limit:');
    const depth = await new Promise((resolve, reject) => {
      windows.incr('key', (error, count) => (error ? reject(error) : resolve(count)), 1_000);
    });
    expect(depth).toMatchObject({ current: 1 });

    const backend = openRedisBackend(url, 'heliograph', silentLog);
    closers.push(() => backend.close());
    const queue = backend.openQueue('urgent');
    closers.push(() => queue.close());
    await queue.waitUntilReady();
    const takenIds: string[] = [];
    const data = { ids: { head: '', tails: '' }, carrier: 'simulator' };
    const jobs = ['one', 'two'].map((carrier) => ({
      ...{ name: 'send' as const, data: { ...data, carrier }, opts: ONCE, traceparent: null },
    }));
    await queue.add('send', data, ONCE);
    await queue.addBulk(jobs);
    expect(await queue.getJobs(['prioritized', 'delayed'], 0, 10, true)).toHaveLength(3);
    await new Promise<void>((resolve) => {
      const worker = backend.openWorker('urgent', {
        concurrency: 2,
        process: async (job) => {
          if (takenIds.push(job.data.carrier) === 3) resolve();
        },
      });
      closers.push(() => worker.close());
      void worker.run();
    });
    expect(takenIds.sort()).toEqual(['one', 'simulator', 'two']);
    expect(await admin.call('ACL', 'LOG')).toEqual([]);
  });

  it('a missing Redis right does not block the process', async () => {
    const server = await startRedis();
    closers.push(() => server.close());
    const { url, admin } = await createUser(server, '-info');
    const backend = openRedisBackend(url, 'heliograph', silentLog);
    closers.push(() => backend.close());
    const worker = backend.openWorker('urgent', { concurrency: 1, process: async () => undefined });
    closers.push(() => worker.discard());
    worker.on('error', () => undefined);
    void worker.run();
    // Each ping succeeds only if neither the process nor Redis is blocked.
    await waitFor('the user to be refused', async () => ((await admin.call('ACL', 'LOG')) as unknown[]).length > 0);
    for (let round = 0; round < 20; round += 1) await admin.ping();
  });
});
