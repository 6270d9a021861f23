import { once } from 'node:events';
import { Cluster } from 'ioredis';
import { assert, expect, onTestFinished, test } from 'vitest';
import { openRedis } from '../../src/platform/redis/connections.js';
import { encodeBulk, type FakeReply, startFakeRedis } from '../support/processes/fake-redis.js';
import { waitFor } from '../support/wait-for.js';

/** Answers like a Redis Cluster that knows which node serves the slots but has lost another shard. */
const answerForBrokenCluster: FakeReply = (command, { localPort }) => {
  const answers: [RegExp, string][] = [
    [/^cluster slots/, `*1\r\n*3\r\n:0\r\n:16382\r\n*2\r\n${encodeBulk('127.0.0.1')}:${localPort}\r\n`],
    [/^cluster info/, encodeBulk('cluster_state:fail\r\ncluster_slots_ok:16383\r\n')],
    [/^info/, encodeBulk('loading:0\r\n')],
  ];
  return answers.find(([pattern]) => pattern.test(command))?.[1];
};

function openCluster(...hosts: string[]): Cluster {
  const behavior = { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 50 };
  const redis = openRedis(`redis+cluster://${hosts.join(',')}`, behavior, () => undefined);
  onTestFinished(() => redis.disconnect());
  assert(redis instanceof Cluster);
  return redis;
}

function duplicate(redis: Cluster): Cluster {
  const copy = redis.duplicate();
  copy.on('error', () => undefined);
  onTestFinished(() => copy.disconnect());
  return copy;
}

test('connecting to a cluster without one of its shards settles, because workers wait for it', async () => {
  const { port } = await startFakeRedis(answerForBrokenCluster);
  const redis = openCluster(`127.0.0.1:${port}`);
  for (const connection of [redis, duplicate(redis)]) {
    await connection.connect();
    expect(connection.status).toBe('ready');
  }
});

test.each(['a cluster', 'a copy of one'])(
  '%s reconnects if a former node ends late, while names are resolved',
  async (kind) => {
    const ports: number[] = [];
    const answer: FakeReply = (command, socket) => {
      if (!command.startsWith('cluster slots')) return answerForBrokenCluster(command, socket);
      const shards = ports.map((port, number) => {
        const [from, to] = [number * 8_192, number + 1 === ports.length ? 16_383 : 8_191];
        return `*3\r\n:${from}\r\n:${to}\r\n*2\r\n${encodeBulk('127.0.0.1')}:${port}\r\n`;
      });
      return `*${shards.length}\r\n${shards.join('')}`;
    };
    const [staying, leaving] = await Promise.all([
      startFakeRedis(answer),
      startFakeRedis(answer, { allowHalfOpen: true }),
    ]);
    ports.push(staying.port, leaving.port);
    const first = openCluster(`localhost:${staying.port}`);
    const redis = kind === 'a cluster' ? first : duplicate(first);
    await redis.connect();
    await Promise.all([redis.get('b'), redis.get('a')].map((reply) => expect(reply).resolves.toBe('OK')));
    ports.pop();
    await new Promise((resolve) => redis.refreshSlotsCache(resolve));
    const originalLookup = redis.options.dnsLookup;
    const lookupStarted = new Promise<() => void>((resolve) => {
      redis.options.dnsLookup = (name, callback) => resolve(() => originalLookup?.(name, callback));
    });
    for (const socket of staying.sockets) socket.destroy();
    const finishLookup = await lookupStarted;
    redis.options.dnsLookup = originalLookup;
    expect(redis.status).toBe('connecting');
    for (const socket of leaving.sockets) socket.end();
    await once(redis, 'close');
    finishLookup();
    await waitFor('the cluster to be ready', () => redis.status === 'ready');
  },
);
