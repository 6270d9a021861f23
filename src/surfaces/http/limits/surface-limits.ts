import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorOptions } from '../errors.js';
import { rateLimits, type Windows } from './rate-limits.js';

/** Options of a surface whose callers use keys. */
export interface KeyedSurfaceOptions<EndpointOptions> extends ErrorOptions {
  /** Where requests are counted; shared by all surfaces. */
  windows: Windows;
  /** Requests per key and second; 0 turns limits off. */
  rateLimitPerSecond: number;
  /** Options of its endpoints. */
  endpoints: EndpointOptions;
}

export async function limitKeys(
  app: FastifyInstance,
  { windows, rateLimitPerSecond }: Pick<KeyedSurfaceOptions<unknown>, 'windows' | 'rateLimitPerSecond'>,
  keyOf: (request: FastifyRequest) => string,
): Promise<void> {
  await app.register(rateLimits, { perSecond: rateLimitPerSecond, windows, keyOf });
}
