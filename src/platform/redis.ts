import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { backoffMs } from './background/backoff.js';

/**
 * A connection to Redis for short commands, which fail at once while Redis is away instead of piling up.
 */
export function connectRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    connectTimeout: 2_000,
    commandTimeout: 500,
    retryStrategy: reconnectDelayMs,
  });
  redis.on('error', (error) => log.debug({ err: error }, 'redis is away'));
  return redis;
}

/** Milliseconds before a further try to connect: 200 ms, doubled up to 2 s. */
export function reconnectDelayMs(times: number): number {
  return backoffMs(times, { firstMs: 200, longestMs: 2_000 });
}
