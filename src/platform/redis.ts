import { once } from 'node:events';
import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { backoffMs } from './background/backoff.js';
import { StartError } from './errors/start-error.js';

const NO_EVICTION = 'noeviction';

/**
 * A connection to Redis. Every one is made here, and listened to from its first moment. Of those that BullMQ copies from it
 * an error that nobody hears ends no process: `ioredis` itself sees to that.
 */
export function openRedis(url: string, options: RedisOptions, onError: (error: Error) => void): Redis {
  return new Redis(url, options).on('error', onError);
}

/**
 * A connection to Redis for short commands, which fail at once while Redis is away instead of piling up.
 */
export function connectRedis(url: string, log: Logger): Redis {
  const options = {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: 500,
    retryStrategy: reconnectDelayMs,
  };
  return openRedis(url, options, (error) => log.debug({ err: error }, 'redis is away'));
}

/**
 * Looks whether a Redis may drop keys of the queue when its memory is full. One that is away, or does not tell, is let be.
 * @param patienceMs how long a connection is waited for
 * @throws {StartError} when it may
 */
export async function expectNoEviction(redis: Redis, patienceMs: number): Promise<void> {
  const memory = await memoryOf(redis, patienceMs).catch(() => '');
  const policy = /^maxmemory_policy:(\S+)/m.exec(memory)?.[1] ?? NO_EVICTION;
  if (policy === NO_EVICTION) return;
  throw new StartError(
    `Redis (REDIS_URL) has the maxmemory-policy ${policy}, by which it drops parts of the queue when its memory is ` +
      `full. Set it to ${NO_EVICTION} (CONFIG SET maxmemory-policy ${NO_EVICTION}, and in its configuration file).`,
  );
}

async function memoryOf(redis: Redis, patienceMs: number): Promise<string> {
  if (redis.status !== 'ready') await once(redis, 'ready', { signal: AbortSignal.timeout(patienceMs) });
  return await redis.info('memory');
}

/** Milliseconds before a further try to connect: 200 ms, doubled up to 2 s. */
export function reconnectDelayMs(times: number): number {
  return backoffMs(times, { firstMs: 200, longestMs: 2_000 });
}
