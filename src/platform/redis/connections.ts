import { once } from 'node:events';
import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { backoffMs } from '../background/backoff.js';
import { StartError } from '../errors/start-error.js';
import { LastingCluster, LastingRedis, SwitchingConnector } from './lasting.js';
import { type RedisPlaces, readRedisUrl } from './url.js';

const NO_EVICTION = 'noeviction';
/** Of a connection, and of a Sentinel's answer: one that stands still is left for the next. */
const CONNECT_MS = 2_000;

/** To one Redis, wherever Sentinels say that it is, or to a cluster of them. */
export type RedisConnection = Redis | Cluster;

/** How a connection bears with a Redis that is away. */
export type RedisBearing = Pick<
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
 * A connection to Redis. Every one is made here, and listened to from its first moment. Of those that BullMQ copies from it
 * an error that nobody hears ends no process: `ioredis` itself sees to that.
 */
export function openRedis(url: string, bearing: RedisBearing, onError: (error: Error) => void): RedisConnection {
  return connectionTo(url, bearing).on('error', onError);
}

function connectionTo(url: string, bearing: RedisBearing): RedisConnection {
  const places = readRedisUrl(url);
  const patient = { connectTimeout: CONNECT_MS, ...bearing };
  if (!places) return new LastingRedis(url, { ...patient, reconnectOnError });
  return places.kind === 'cluster' ? openCluster(places, patient) : openWatched(places, patient);
}

function openWatched(place: RedisPlaces, bearing: RedisBearing): Redis {
  const { hosts, name, db, isEncrypted } = place;
  return new LastingRedis({
    ...bearing,
    ...loginOf(place),
    db,
    reconnectOnError,
    sentinels: [...hosts],
    name,
    sentinelUsername: place.sentinelUsername,
    sentinelPassword: place.sentinelPassword,
    enableTLSForSentinelMode: isEncrypted,
    ...(isEncrypted && { sentinelTLS: {} }),
    sentinelRetryStrategy: bearing.retryStrategy ?? reconnectDelayMs,
    // What hears of a failover from the Sentinels need not wait until the primary of before ends its connections.
    failoverDetector: true,
    Connector: SwitchingConnector as RedisOptions['Connector'],
    sentinelCommandTimeout: bearing.connectTimeout,
  });
}

function openCluster(place: RedisPlaces, bearing: RedisBearing): Cluster {
  const { retryStrategy, enableOfflineQueue, lazyConnect, ...ofNodes } = bearing;
  return new LastingCluster([...place.hosts], {
    enableOfflineQueue,
    lazyConnect,
    clusterRetryStrategy: retryStrategy ?? reconnectDelayMs,
    // With it a connect() that meets a cluster which lacks a shard never settles, also when the cluster is whole again
    // (ioredis 6.0), and BullMQ (6.7) waits for it without end. What is sent to a cluster that is not whole is retried.
    enableReadyCheck: false,
    redisOptions: { ...ofNodes, ...loginOf(place) },
    // Certificates are for names, and nodes tell each other's addresses as they were given.
    ...(place.isEncrypted && { dnsLookup: (address, found) => found(null, address) }),
  });
}

function loginOf({
  username,
  password,
  isEncrypted,
}: RedisPlaces): Pick<RedisOptions, 'username' | 'password' | 'tls'> {
  return { username, password, ...(isEncrypted && { tls: {} }) };
}

/** A primary that became a replica while a connection to it stood: the next one may lead to the one that took over. */
function reconnectOnError({ message }: Error): boolean {
  return /\bREADONLY\b/.test(message);
}

/**
 * A connection to Redis for short commands, which fail at once while Redis is away instead of piling up.
 */
export function connectRedis(url: string, log: Logger): RedisConnection {
  const bearing = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: 500,
    // A Redis that is gone without a word: the next connection may lead to the one that took over.
    socketTimeout: 2_000,
    retryStrategy: reconnectDelayMs,
  };
  return openRedis(url, bearing, (error) => log.debug({ err: error }, 'redis is away'));
}

/**
 * Looks whether a Redis may drop keys of the queue when its memory is full. One that is away, or does not tell, is let be.
 * @param patienceMs how long a connection is waited for
 * @throws {StartError} when it may
 */
export async function expectNoEviction(redis: RedisConnection, patienceMs: number): Promise<void> {
  const memories = await memoryOf(redis, patienceMs).catch(() => []);
  const policies = memories.map((each) => /^maxmemory_policy:(\S+)/m.exec(each)?.[1] ?? NO_EVICTION);
  const policy = policies.find((each) => each !== NO_EVICTION);
  if (policy === undefined) return;
  throw new StartError(
    `Redis (REDIS_URL) has the maxmemory-policy ${policy}, by which it drops parts of the queue when its memory is ` +
      `full. Set it to ${NO_EVICTION} (CONFIG SET maxmemory-policy ${NO_EVICTION}, and in its configuration file).`,
  );
}

async function memoryOf(redis: RedisConnection, patienceMs: number): Promise<string[]> {
  if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(patienceMs) });
  return await infoOfPrimaries(redis, 'memory');
}

/** What each Redis that takes writes says of itself: of a cluster several. */
export async function infoOfPrimaries(redis: RedisConnection, section = 'default'): Promise<string[]> {
  const primaries = redis instanceof LastingCluster ? redis.nodes('master') : [redis];
  return await Promise.all(primaries.map((each) => each.info(section)));
}

/**
 * The beginning of the names of all keys. Of a cluster it has braces, so that the keys of one queue, which one script
 * touches, lie on one node (Redis Cluster Specification, "Hash tags").
 */
export function keyPrefix(url: string, prefix: string): string {
  return readRedisUrl(url)?.kind === 'cluster' && !/\{[^}]+\}/.test(prefix) ? `{${prefix}}` : prefix;
}

/** Milliseconds before a further try to connect: 200 ms, doubled up to 2 s. */
export function reconnectDelayMs(times: number): number {
  return backoffMs(times, { firstMs: 200, longestMs: 2_000 });
}
