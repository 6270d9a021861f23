import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorOptions } from '../errors.js';
import { rateLimits, type Windows } from './rate-limits.js';

/** What a surface needs whose callers have keys. */
export interface KeyedSurfaceOptions<EndpointOptions> extends ErrorOptions {
  /** Where requests are counted for the limits: one for all surfaces. */
  windows: Windows;
  /** Requests of one key in a second; 0: no limits. */
  rateLimitPerSecond: number;
  /** What its endpoints need. */
  endpoints: EndpointOptions;
}

/** Limits the requests of each key to a surface. */
export async function limitKeys(
  app: FastifyInstance,
  { windows, rateLimitPerSecond }: Pick<KeyedSurfaceOptions<unknown>, 'windows' | 'rateLimitPerSecond'>,
  keyOf: (request: FastifyRequest) => string,
): Promise<void> {
  await app.register(rateLimits, { perSecond: rateLimitPerSecond, windows, keyOf });
}
