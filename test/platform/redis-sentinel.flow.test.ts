import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { assert, expect, onTestFinished, test } from 'vitest';
import { redisBackend } from '../../src/messages/queue/backend.js';
import { openRedis, type RedisBearing, type RedisConnection } from '../../src/platform/redis/connections.js';
import { withResolvers } from '../../src/platform/with-resolvers.js';
import { bulk, type FakeRedis, fakeRedis, several } from '../support/processes/fake-redis.js';
import { waitFor } from '../support/wait-for.js';

const BEARING: RedisBearing = { maxRetriesPerRequest: null, retryStrategy: () => 50 };

interface World {
  primary: FakeRedis;
  sentinel: FakeRedis;
  /** The port that the Sentinel tells, and what it waits for before it does. */
  told: { port: number; held: Promise<void> };
  /** How often the Sentinel was asked where the primary is. */
  readonly lookedUp: number;
  /** Tells of a failover whoever wants to hear of one, and returns when nobody does any longer. */
  tellFailover(): Promise<void>;
  /** Waits until somebody hears of failovers. */
  heard(): Promise<void>;
}

async function openWorld(): Promise<World> {
  let lookedUp = 0;
  const listeners = new Set<Parameters<Parameters<typeof fakeRedis>[0]>[1]>();
  const primary = await fakeRedis((command) => {
    if (command === 'ping') return '+PONG\r\n';
    return command === 'info' ? bulk('role:master\r\nloading:0\r\nredis_version:7.0.0\r\n') : undefined;
  });
  const told: World['told'] = { port: primary.port, held: Promise.resolve() };
  const sentinel = await fakeRedis(async (command, socket) => {
    if (command.startsWith('sentinel get-master-addr')) {
      lookedUp += 1;
      await told.held;
      return several('127.0.0.1', String(told.port));
    }
    if (command.startsWith('sentinel sentinels')) return '*0\r\n';
    if (!command.startsWith('subscribe')) return undefined;
    listeners.add(socket);
    socket.on('close', () => listeners.delete(socket));
    return `*3\r\n${bulk('subscribe')}${bulk('+switch-master')}:1\r\n`;
  });
  return {
    primary,
    sentinel,
    told,
    get lookedUp() {
      return lookedUp;
    },
    tellFailover: async () => {
      for (const each of listeners) each.write(several('message', '+switch-master', 'name 127.0.0.1 1 127.0.0.1 2'));
      await waitFor('nobody to hear of failovers', () => listeners.size === 0);
    },
    heard: async () => void (await waitFor('somebody to hear of failovers', () => listeners.size > 0)),
  };
}

const urlOf = (...sentinels: FakeRedis[]) =>
  `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/name`;

function connectTo(url: string, bearing = BEARING): RedisConnection {
  const redis = openRedis(url, bearing, () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

/** Ours, or what BullMQ makes of it. */
function open(which: string, url: string): RedisConnection {
  if (which === 'ours') return connectTo(url);
  const redis = connectTo(url, { ...BEARING, lazyConnect: true });
  assert(redis instanceof Redis);
  const copy = redis.duplicate();
  copy.on('error', () => undefined);
  onTestFinished(() => copy.disconnect());
  return copy;
}

test.each(['ours', 'a copy'])(
  'a failover that is told while a connection is made anew fails nothing that waits for it: %s',
  async (which) => {
    const world = await openWorld();
    const redis = open(which, urlOf(world.sentinel));
    await redis.ping();
    await world.heard();
    const { lookedUp, told, primary } = world;
    const { promise, resolve: goOn } = withResolvers();
    told.held = promise;
    for (const socket of primary.sockets) socket.destroy();
    await waitFor('the Sentinel to be asked', () => world.lookedUp > lookedUp);
    const waiting = redis.ping();
    await world.tellFailover();
    goOn();
    await expect(waiting).resolves.toBe('PONG');
  },
);

test.each(['ours', 'a copy'])(
  'a Sentinel that tells no usable address ends no connection for good: %s',
  async (which) => {
    const { sentinel, primary, told } = await openWorld();
    const redis = open(which, urlOf(sentinel));
    await redis.ping();
    told.port = 99_999;
    for (const socket of primary.sockets) socket.destroy();
    await waitFor('the connection to end', () => redis.status === 'end');
    told.port = primary.port;
    await waitFor('an answer', () => redis.ping());
  },
);

test('a queue whose first connection ended works by the next', async () => {
  const { sentinel, primary, told } = await openWorld();
  told.port = 99_999;
  const backend = redisBackend(urlOf(sentinel), 'queue', pino({ level: 'silent' }));
  onTestFinished(() => backend.close());
  const queue = backend.openQueue('urgent');
  queue.on('error', () => undefined);
  await waitFor('a second try', () => sentinel.asked > 1);
  told.port = primary.port;
  await queue.waitUntilReady();
});

test('a Sentinel that takes connections and never answers is left for the next one', async () => {
  const { sentinel } = await openWorld();
  const silent = await fakeRedis(() => new Promise(() => undefined));
  const redis = connectTo(urlOf(silent, sentinel));
  await waitFor('an answer', () => redis.ping());
  expect(silent.asked).toBeGreaterThan(0);
});

test.each(['disconnect', 'quit'] as const)('what was told to %s stays closed', async (how) => {
  const { sentinel, primary } = await openWorld();
  const redis = connectTo(urlOf(sentinel));
  await redis.ping();
  const ended = new Promise((resolve) => redis.once('end', resolve));
  await redis[how]();
  for (const socket of primary.sockets) socket.end();
  await ended;
  const { asked } = primary;
  await pause(300);
  expect(redis.status).toBe('end');
  expect(primary.asked).toBe(asked);
});
