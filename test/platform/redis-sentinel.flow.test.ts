import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { assert, expect, onTestFinished, test } from 'vitest';
import { createRedisBackend } from '../../src/messages/queue/backend.js';
import { openRedis, type RedisBehavior, type RedisConnection } from '../../src/platform/redis/connections.js';
import { withResolvers } from '../../src/platform/with-resolvers.js';
import { bulk, type FakeRedis, fakeRedis, several } from '../support/processes/fake-redis.js';
import { waitFor } from '../support/wait-for.js';

const BEARING: RedisBehavior = { maxRetriesPerRequest: null, retryStrategy: () => 50 };

interface Environment {
  primary: FakeRedis;
  sentinel: FakeRedis;
  report: { port: number; delay: Promise<void> };
  readonly lookups: number;
  /** Resolves once all listeners have disconnected. */
  announceFailover(): Promise<void>;
  waitForListener(): Promise<void>;
}

async function openEnvironment(): Promise<Environment> {
  let lookedUp = 0;
  const listeners = new Set<Parameters<Parameters<typeof fakeRedis>[0]>[1]>();
  const primary = await fakeRedis((command) => {
    if (command === 'ping') return '+PONG\r\n';
    return command === 'info' ? bulk('role:master\r\nloading:0\r\nredis_version:7.0.0\r\n') : undefined;
  });
  const report: Environment['report'] = { port: primary.port, delay: Promise.resolve() };
  const sentinel = await fakeRedis(async (command, socket) => {
    if (command.startsWith('sentinel get-master-addr')) {
      lookedUp += 1;
      await report.delay;
      return several('127.0.0.1', String(report.port));
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
    report,
    get lookups() {
      return lookedUp;
    },
    announceFailover: async () => {
      for (const each of listeners) each.write(several('message', '+switch-master', 'name 127.0.0.1 1 127.0.0.1 2'));
      await waitFor('all listeners to disconnect', () => listeners.size === 0);
    },
    waitForListener: async () => void (await waitFor('a listener for failovers', () => listeners.size > 0)),
  };
}

const buildUrl = (...sentinels: FakeRedis[]) =>
  `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/name`;

function connectTo(url: string, bearing = BEARING): RedisConnection {
  const redis = openRedis(url, bearing, () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

function openKind(kind: string, url: string): RedisConnection {
  if (kind === 'ours') return connectTo(url);
  const redis = connectTo(url, { ...BEARING, lazyConnect: true });
  assert(redis instanceof Redis);
  const copy = redis.duplicate();
  copy.on('error', () => undefined);
  onTestFinished(() => copy.disconnect());
  return copy;
}

test.each(['ours', 'a copy'])('a failover announced during a reconnect fails no pending command: %s', async (which) => {
  const world = await openEnvironment();
  const redis = openKind(which, buildUrl(world.sentinel));
  await redis.ping();
  await world.waitForListener();
  const { lookups: lookedUp, report, primary } = world;
  const { promise, resolve: answerLookup } = withResolvers();
  report.delay = promise;
  for (const socket of primary.sockets) socket.destroy();
  await waitFor('the Sentinel to be asked', () => world.lookups > lookedUp);
  const waiting = redis.ping();
  await world.announceFailover();
  answerLookup();
  await expect(waiting).resolves.toBe('PONG');
});

test.each(['ours', 'a copy'])('a connection survives an unusable address from a Sentinel: %s', async (which) => {
  const { sentinel, primary, report } = await openEnvironment();
  const redis = openKind(which, buildUrl(sentinel));
  await redis.ping();
  report.port = 99_999;
  for (const socket of primary.sockets) socket.destroy();
  await waitFor('the connection to end', () => redis.status === 'end');
  report.port = primary.port;
  await waitFor('an answer', () => redis.ping());
});

test('a queue recovers after its first connection ended', async () => {
  const { sentinel, primary, report } = await openEnvironment();
  report.port = 99_999;
  const backend = createRedisBackend(buildUrl(sentinel), 'queue', pino({ level: 'silent' }));
  onTestFinished(() => backend.close());
  const queue = backend.openQueue('urgent');
  queue.on('error', () => undefined);
  await waitFor('a second try', () => sentinel.asked > 1);
  report.port = primary.port;
  await queue.waitUntilReady();
});

test('an unresponsive Sentinel is skipped', async () => {
  const { sentinel } = await openEnvironment();
  const silent = await fakeRedis(() => new Promise(() => undefined));
  const redis = connectTo(buildUrl(silent, sentinel));
  await waitFor('an answer', () => redis.ping());
  expect(silent.asked).toBeGreaterThan(0);
});

test.each(['disconnect', 'quit'] as const)('a connection closed by %s stays closed', async (method) => {
  const { sentinel, primary } = await openEnvironment();
  const redis = connectTo(buildUrl(sentinel));
  await redis.ping();
  const ended = new Promise((resolve) => redis.once('end', resolve));
  await redis[method]();
  for (const socket of primary.sockets) socket.end();
  await ended;
  const { asked } = primary;
  await pause(300);
  expect(redis.status).toBe('end');
  expect(primary.asked).toBe(asked);
});
