import { pino } from 'pino';
import { expect, it } from 'vitest';
import { freezingProxy } from '../../chaos/world/freezing-proxy.mjs';
import { connectRedis } from '../../src/platform/redis/connections.js';
import { closersForEachTest } from '../support/for-suite.js';
import { describeOwnRedis, startRedis } from '../support/processes/redis-server.js';
import { waitFor } from '../support/wait-for.js';

const closers = closersForEachTest();

describeOwnRedis('a Redis connection after a silent loss', () => {
  it('is opened again, because its host name may lead to another server', async () => {
    const server = await startRedis();
    closers.push(() => server.close());
    const proxy = await freezingProxy(server.url);
    closers.push(() => proxy.close());
    const redis = connectRedis(proxy.url, pino({ level: 'silent' }));
    closers.push(async () => redis.disconnect());
    await waitFor('Redis to answer', () => redis.ping());
    const { connectionAttempts } = proxy;
    proxy.freeze();
    await expect(redis.ping()).rejects.toThrow('Command timed out');
    await waitFor('another connection', () => proxy.connectionAttempts > connectionAttempts);
    proxy.thaw();
    await waitFor('Redis to answer again', () => redis.ping());
  });
});
