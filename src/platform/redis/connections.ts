import { once } from 'node:events';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { backoffMs } from '../background/backoff.js';
import { StartError } from '../errors/start-error.js';
import { LastingCluster, LastingRedis, SwitchingConnector } from './lasting.js';
import { type RedisTarget, readRedisUrl } from './url.js';

const NO_EVICTION = 'noeviction';
/** Time limit for connecting and for the response of a Sentinel. */
const CONNECT_TIMEOUT_MS = 2_000;

export type RedisConnection = Redis | Cluster;

export type RedisBehavior = Pick<
  RedisOptions,
  | 'enableOfflineQueue'
  | 'maxRetriesPerRequest'
  | 'connectTimeout'
  | 'commandTimeout'
  | 'socketTimeout'
  | 'retryStrategy'
  | 'lazyConnect'
>;

/** Only the original connection needs an error listener, not the copies that BullMQ makes. */
export function openRedis(url: string, behavior: RedisBehavior, onError: (error: Error) => void): RedisConnection {
  return createConnection(url, behavior).on('error', onError);
}

function createConnection(url: string, behavior: RedisBehavior): RedisConnection {
  const target = readRedisUrl(url);
  const options = { connectTimeout: CONNECT_TIMEOUT_MS, ...behavior };
  if (!target) return new LastingRedis(url, { ...options, reconnectOnError });
  return target.kind === 'cluster' ? openCluster(target, options) : openWithSentinels(target, options);
}

function openWithSentinels(target: RedisTarget, behavior: RedisBehavior): Redis {
  const { hosts, name, db, isEncrypted } = target;
  return new LastingRedis({
    ...behavior,
    ...pickLogin(target),
    db,
    reconnectOnError,
    sentinels: [...hosts],
    name,
    sentinelUsername: target.sentinelUsername,
    sentinelPassword: target.sentinelPassword,
    enableTLSForSentinelMode: isEncrypted,
    ...(isEncrypted && { sentinelTLS: {} }),
    sentinelRetryStrategy: behavior.retryStrategy ?? getReconnectDelayMs,
    // Reconnect on the Sentinels' failover message, without waiting for the former primary to close its connections.
    failoverDetector: true,
    Connector: SwitchingConnector as RedisOptions['Connector'],
    sentinelCommandTimeout: behavior.connectTimeout,
  });
}

function openCluster(target: RedisTarget, behavior: RedisBehavior): Cluster {
  const { retryStrategy, enableOfflineQueue, lazyConnect, ...nodeOptions } = behavior;
  return new LastingCluster([...target.hosts], {
    enableOfflineQueue,
    lazyConnect,
    clusterRetryStrategy: retryStrategy ?? getReconnectDelayMs,
    // With the ready check, connect() never settles if the cluster lacked a shard at first (ioredis 6.0), and BullMQ (6.7)
    // waits forever.
    enableReadyCheck: false,
    redisOptions: { ...nodeOptions, ...pickLogin(target) },
    // TLS certificates contain host names, so do not resolve the names to addresses.
    ...(target.isEncrypted && { dnsLookup: (address, callback) => callback(null, address) }),
  });
}

function pickLogin({
  username,
  password,
  isEncrypted,
}: RedisTarget): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  return { username, password, ...(isEncrypted && { tls: {} }) };
}

/** After a failover, a READONLY error causes a reconnect, which may reach the new primary. */
function reconnectOnError({ message }: Error): boolean {
  return /\bREADONLY\b/.test(message);
}

/** Commands on the connection fail immediately while Redis is unavailable. */
export function connectRedis(url: string, log: Logger): RedisConnection {
  const behavior = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 500,
    // `socketTimeout` detects connections that were lost silently.
    socketTimeout: 2_000,
    retryStrategy: getReconnectDelayMs,
  };
  return openRedis(url, behavior, (error) => log.debug({ err: error }, 'Redis is unavailable'));
}

/** The check is skipped if Redis is unavailable or does not report its eviction policy. @throws {StartError} */
export async function requireNoEviction(redis: RedisConnection, patienceMs: number): Promise<void> {
  const memoryInfos = await readMemoryInfo(redis, patienceMs).catch(() => []);
  const policies = memoryInfos.map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? NO_EVICTION);
  const policy = policies.find((candidate) => candidate !== NO_EVICTION);
  if (policy === undefined) return;
  throw new StartError(
    `Redis (REDIS_URL) has the maxmemory-policy ${policy}, so it deletes parts of the queue when its memory is full. ` +
      `Set it to ${NO_EVICTION} (CONFIG SET maxmemory-policy ${NO_EVICTION}, and in its configuration file).`,
  );
}

async function readMemoryInfo(redis: RedisConnection, patienceMs: number): Promise<string[]> {
  if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(patienceMs) });
  return await readPrimaryInfo(redis, 'memory');
}

/** Returns one text per primary; a Redis Cluster has several primaries. */
export async function readPrimaryInfo(redis: RedisConnection, section = 'default'): Promise<string[]> {
  const primaries = redis instanceof LastingCluster ? redis.nodes('master') : [redis];
  return await Promise.all(primaries.map((primary) => primary.info(section)));
}

/** Braces keep all keys of a queue on one cluster node (Redis Cluster Specification, "Hash tags"). */
export function buildKeyPrefix(url: string, prefix: string): string {
  return readRedisUrl(url)?.kind === 'cluster' && !/\{[^}]+\}/.test(prefix) ? `{${prefix}}` : prefix;
}

export function getReconnectDelayMs(times: number): number {
  return backoffMs(times, { firstMs: 200, longestMs: 2_000 });
}
