import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RedisConnection } from '../../../platform/redis/connections.js';
import type { ErrorOptions } from '../errors.js';
import { rateLimits } from './rate-limits.js';

/** What a surface needs whose callers have keys. */
export interface KeyedSurfaceOptions<EndpointOptions> extends ErrorOptions {
  /** Where processes share the counts of rate limits; null: each counts for itself. */
  redis: RedisConnection | null;
  /** Requests of one key in a second; 0: no limits. */
  rateLimitPerSecond: number;
  /** Prefix of the keys in Redis. */
  redisPrefix: string;
  /** What its endpoints need. */
  endpoints: EndpointOptions;
}

/** Limits the requests of each key to a surface. */
export async function limitKeys(
  app: FastifyInstance,
  { redis, rateLimitPerSecond, redisPrefix }: KeyedSurfaceOptions<unknown>,
  keyOf: (request: FastifyRequest) => string,
): Promise<void> {
  await app.register(rateLimits, { perSecond: rateLimitPerSecond, redis, prefix: redisPrefix, keyOf });
}
