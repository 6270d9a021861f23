import { once } from 'node:events';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { backoffMs } from '../background/backoff.js';
import { StartError } from '../errors/start-error.js';
import { LastingCluster, LastingRedis, SwitchingConnector } from './lasting.js';
import { type RedisTarget, readRedisUrl } from './url.js';

const NO_EVICTION = 'noeviction';
/**
 * Timeout of a connection and of a Sentinel's response, in milliseconds; an unresponsive server is skipped after that.
 */
const CONNECT_MS = 2_000;

/** A single Redis, also behind Sentinels, or a cluster. */
export type RedisConnection = Redis | Cluster;

/** How a connection handles an unavailable Redis. */
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

/**
 * Opens a connection to Redis with an error listener. All connections are created here. Copies that BullMQ makes of
 * them need no listener: ioredis itself keeps their errors from ending the process.
 */
export function openRedis(url: string, bearing: RedisBehavior, onError: (error: Error) => void): RedisConnection {
  return createConnection(url, bearing).on('error', onError);
}

function createConnection(url: string, bearing: RedisBehavior): RedisConnection {
  const target = readRedisUrl(url);
  const options = { connectTimeout: CONNECT_MS, ...bearing };
  if (!target) return new LastingRedis(url, { ...options, reconnectOnError });
  return target.kind === 'cluster' ? openCluster(target, options) : openWithSentinels(target, options);
}

function openWithSentinels(target: RedisTarget, bearing: RedisBehavior): Redis {
  const { hosts, name, db, isEncrypted } = target;
  return new LastingRedis({
    ...bearing,
    ...pickLogin(target),
    db,
    reconnectOnError,
    sentinels: [...hosts],
    name,
    sentinelUsername: target.sentinelUsername,
    sentinelPassword: target.sentinelPassword,
    enableTLSForSentinelMode: isEncrypted,
    ...(isEncrypted && { sentinelTLS: {} }),
    sentinelRetryStrategy: bearing.retryStrategy ?? getReconnectDelayMs,
    // Switch on the Sentinels' failover message, without waiting for the old primary to close its connections.
    failoverDetector: true,
    Connector: SwitchingConnector as RedisOptions['Connector'],
    sentinelCommandTimeout: bearing.connectTimeout,
  });
}

function openCluster(target: RedisTarget, bearing: RedisBehavior): Cluster {
  const { retryStrategy, enableOfflineQueue, lazyConnect, ...nodeOptions } = bearing;
  return new LastingCluster([...target.hosts], {
    enableOfflineQueue,
    lazyConnect,
    clusterRetryStrategy: retryStrategy ?? getReconnectDelayMs,
    // With the ready check, connect() never settles if the cluster lacks a shard, not even after it is complete again
    // (ioredis 6.0), and BullMQ (6.7) waits for it forever. Commands to an incomplete cluster are retried instead.
    enableReadyCheck: false,
    redisOptions: { ...nodeOptions, ...pickLogin(target) },
    // Certificates contain names, and nodes announce each other's addresses as configured, so keep names unresolved.
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

/** The primary became a replica; the next connection may reach its successor. */
function reconnectOnError({ message }: Error): boolean {
  return /\bREADONLY\b/.test(message);
}

/** Opens a connection for short commands, which fail at once while Redis is unavailable instead of piling up. */
export function connectRedis(url: string, log: Logger): RedisConnection {
  const bearing = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 500,
    // After a silent loss of Redis, the next connection may reach its successor.
    socketTimeout: 2_000,
    retryStrategy: getReconnectDelayMs,
  };
  return openRedis(url, bearing, (error) => log.debug({ err: error }, 'Redis is unavailable'));
}

/**
 * Checks that Redis does not evict keys of the queue when its memory is full. Skips the check if Redis is unavailable
 * or does not report its policy.
 * @param patienceMs how long to wait for a connection
 * @throws {StartError} if it may evict keys
 */
export async function requireNoEviction(redis: RedisConnection, patienceMs: number): Promise<void> {
  const memories = await readMemoryInfo(redis, patienceMs).catch(() => []);
  const policies = memories.map((each) => /^maxmemory_policy:(\S+)/m.exec(each)?.[1] ?? NO_EVICTION);
  const policy = policies.find((each) => each !== NO_EVICTION);
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

/** Returns the INFO of each Redis that accepts writes; of a cluster several. */
export async function readPrimaryInfo(redis: RedisConnection, section = 'default'): Promise<string[]> {
  const primaries = redis instanceof LastingCluster ? redis.nodes('master') : [redis];
  return await Promise.all(primaries.map((each) => each.info(section)));
}

/**
 * Returns the prefix of all keys. For a cluster it has braces, which keep the keys of a queue on one node, because one
 * script uses them together (Redis Cluster Specification, "Hash tags").
 */
export function keyPrefix(url: string, prefix: string): string {
  return readRedisUrl(url)?.kind === 'cluster' && !/\{[^}]+\}/.test(prefix) ? `{${prefix}}` : prefix;
}

/** Returns the delay before the next connection attempt: 200 ms, doubled up to 2 s. */
export function getReconnectDelayMs(times: number): number {
  return backoffMs(times, { firstMs: 200, longestMs: 2_000 });
}
