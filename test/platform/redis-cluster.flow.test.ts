import { once } from 'node:events';
import { Cluster } from 'ioredis';
import { assert, expect, onTestFinished, test } from 'vitest';
import { openRedis } from '../../src/platform/redis/connections.js';
import { bulk, type FakeAnswer, fakeRedis } from '../support/processes/fake-redis.js';
import { waitFor } from '../support/wait-for.js';

/** Tells who serves the slots, while the cluster is not whole: as when another shard is lost. */
const ofBrokenCluster: FakeAnswer = (command, { localPort }) => {
  const answers: [RegExp, string][] = [
    [/^cluster slots/, `*1\r\n*3\r\n:0\r\n:16382\r\n*2\r\n${bulk('127.0.0.1')}:${localPort}\r\n`],
    [/^cluster info/, bulk('cluster_state:fail\r\ncluster_slots_ok:16383\r\n')],
    [/^info/, bulk('loading:0\r\n')],
  ];
  return answers.find(([asked]) => asked.test(command))?.[1];
};

function openCluster(...hosts: string[]): Cluster {
  const bearing = { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => 50 };
  const redis = openRedis(`redis+cluster://${hosts.join(',')}`, bearing, () => undefined);
  onTestFinished(() => redis.disconnect());
  assert(redis instanceof Cluster);
  return redis;
}

function copyOf(redis: Cluster): Cluster {
  const copy = redis.duplicate();
  copy.on('error', () => undefined);
  onTestFinished(() => copy.disconnect());
  return copy;
}

test('connecting to a cluster that lacks a shard settles, for a worker waits for it', async () => {
  const { port } = await fakeRedis(ofBrokenCluster);
  const redis = openCluster(`127.0.0.1:${port}`);
  for (const each of [redis, copyOf(redis)]) {
    await each.connect();
    expect(each.status).toBe('ready');
  }
});

test.each(['a cluster', 'a copy of one'])(
  '%s in which a node of before ends late, while names are looked up, is connected to anew',
  async (which) => {
    const ports: number[] = [];
    const answer: FakeAnswer = (command, socket) => {
      if (!command.startsWith('cluster slots')) return ofBrokenCluster(command, socket);
      const shards = ports.map((port, number) => {
        const [from, to] = [number * 8_192, number + 1 === ports.length ? 16_383 : 8_191];
        return `*3\r\n:${from}\r\n:${to}\r\n*2\r\n${bulk('127.0.0.1')}:${port}\r\n`;
      });
      return `*${shards.length}\r\n${shards.join('')}`;
    };
    const [lasting, late] = await Promise.all([fakeRedis(answer), fakeRedis(answer, { allowHalfOpen: true })]);
    ports.push(lasting.port, late.port);
    const first = openCluster(`localhost:${lasting.port}`);
    const redis = which === 'a cluster' ? first : copyOf(first);
    await redis.connect();
    // Their slots are 3300 and 12182.
    await Promise.all([redis.get('b'), redis.get('a')].map((each) => expect(each).resolves.toBe('OK')));
    ports.pop();
    await new Promise((refreshed) => redis.refreshSlotsCache(refreshed));
    const lookUp = redis.options.dnsLookup;
    const held = new Promise<() => void>((holds) => {
      redis.options.dnsLookup = (name, found) => holds(() => lookUp?.(name, found));
    });
    for (const socket of lasting.sockets) socket.destroy();
    const goOn = await held;
    redis.options.dnsLookup = lookUp;
    expect(redis.status).toBe('connecting');
    for (const socket of late.sockets) socket.end();
    await once(redis, 'close');
    goOn();
    await waitFor('the cluster to be ready', () => redis.status === 'ready');
  },
);
