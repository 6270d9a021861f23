import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { assert, expect, onTestFinished, test } from 'vitest';
import { openRedisBackend } from '../../src/messages/queue/backend.js';
import { openRedis, type RedisBehavior, type RedisConnection } from '../../src/platform/redis/connections.js';
import { withResolvers } from '../../src/platform/with-resolvers.js';
import { encodeArray, encodeBulk, type FakeRedis, startFakeRedis } from '../support/processes/fake-redis.js';
import { waitFor } from '../support/wait-for.js';

const BEHAVIOR: RedisBehavior = { maxRetriesPerRequest: null, retryStrategy: () => 50 };

interface Environment {
  primary: FakeRedis;
  sentinel: FakeRedis;
  report: { port: number; delay: Promise<void> };
  readonly lookups: number;
  /** Announces a failover, and resolves once all listeners have disconnected. */
  announceFailover(): Promise<void>;
  waitForListener(): Promise<void>;
}

async function openEnvironment(): Promise<Environment> {
  let lookupCount = 0;
  const listeners = new Set<Parameters<Parameters<typeof startFakeRedis>[0]>[1]>();
  const primary = await startFakeRedis((command) => {
    if (command === 'ping') return '+PONG\r\n';
    return command === 'info' ? encodeBulk('role:master\r\nloading:0\r\nredis_version:7.0.0\r\n') : undefined;
  });
  const report: Environment['report'] = { port: primary.port, delay: Promise.resolve() };
  const sentinel = await startFakeRedis(async (command, socket) => {
    if (command.startsWith('sentinel get-master-addr')) {
      lookupCount += 1;
      await report.delay;
      return encodeArray('127.0.0.1', String(report.port));
    }
    if (command.startsWith('sentinel sentinels')) return '*0\r\n';
    if (!command.startsWith('subscribe')) return undefined;
    listeners.add(socket);
    socket.on('close', () => listeners.delete(socket));
    return `*3\r\n${encodeBulk('subscribe')}${encodeBulk('+switch-master')}:1\r\n`;
  });
  return {
    primary,
    sentinel,
    report,
    get lookups() {
      return lookupCount;
    },
    announceFailover: async () => {
      for (const listener of listeners)
        listener.write(encodeArray('message', '+switch-master', 'name 127.0.0.1 1 127.0.0.1 2'));
      await waitFor('all listeners to disconnect', () => listeners.size === 0);
    },
    waitForListener: async () => void (await waitFor('a listener for failovers', () => listeners.size > 0)),
  };
}

const buildUrl = (...sentinels: FakeRedis[]) =>
  `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/name`;

function connectTo(url: string, behavior = BEHAVIOR): RedisConnection {
  const redis = openRedis(url, behavior, () => undefined);
  onTestFinished(() => redis.disconnect());
  return redis;
}

function openKind(kind: string, url: string): RedisConnection {
  if (kind === 'ours') return connectTo(url);
  const redis = connectTo(url, { ...BEHAVIOR, lazyConnect: true });
  assert(redis instanceof Redis);
  const copy = redis.duplicate();
  copy.on('error', () => undefined);
  onTestFinished(() => copy.disconnect());
  return copy;
}

test.each(['ours', 'a copy'])('a failover announced during a reconnect fails no pending command: %s', async (kind) => {
  const environment = await openEnvironment();
  const redis = openKind(kind, buildUrl(environment.sentinel));
  await redis.ping();
  await environment.waitForListener();
  const { lookups: lookupsBefore, report, primary } = environment;
  const { promise, resolve: answerLookup } = withResolvers();
  report.delay = promise;
  for (const socket of primary.sockets) socket.destroy();
  await waitFor('the Sentinel to be asked', () => environment.lookups > lookupsBefore);
  const pendingPing = redis.ping();
  await environment.announceFailover();
  answerLookup();
  await expect(pendingPing).resolves.toBe('PONG');
});

test.each(['ours', 'a copy'])('a connection survives an unusable address from a Sentinel: %s', async (kind) => {
  const { sentinel, primary, report } = await openEnvironment();
  const redis = openKind(kind, buildUrl(sentinel));
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
  const backend = openRedisBackend(buildUrl(sentinel), 'queue', pino({ level: 'silent' }));
  onTestFinished(() => backend.close());
  const queue = backend.openQueue('urgent');
  queue.on('error', () => undefined);
  await waitFor('a second try', () => sentinel.connectionCount > 1);
  report.port = primary.port;
  await queue.waitUntilReady();
});

test('an unresponsive Sentinel is skipped', async () => {
  const { sentinel } = await openEnvironment();
  const silent = await startFakeRedis(() => new Promise(() => undefined));
  const redis = connectTo(buildUrl(silent, sentinel));
  await waitFor('an answer', () => redis.ping());
  expect(silent.connectionCount).toBeGreaterThan(0);
});

test.each(['disconnect', 'quit'] as const)('a connection closed by %s stays closed', async (method) => {
  const { sentinel, primary } = await openEnvironment();
  const redis = connectTo(buildUrl(sentinel));
  await redis.ping();
  const connectionEnd = new Promise((resolve) => redis.once('end', resolve));
  await redis[method]();
  for (const socket of primary.sockets) socket.end();
  await connectionEnd;
  const { connectionCount } = primary;
  await pause(300);
  expect(redis.status).toBe('end');
  expect(primary.connectionCount).toBe(connectionCount);
});
