import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorOptions } from '../errors.js';
import { rateLimits, type Windows } from './rate-limits.js';

export interface KeyedSurfaceOptions<EndpointOptions> extends ErrorOptions {
  windows: Windows;
  rateLimitPerSecond: number;
  endpoints: EndpointOptions;
}

export async function limitKeys(
  app: FastifyInstance,
  { windows, rateLimitPerSecond }: Pick<KeyedSurfaceOptions<unknown>, 'windows' | 'rateLimitPerSecond'>,
  toKey: (request: FastifyRequest) => string,
): Promise<void> {
  await app.register(rateLimits, { perSecond: rateLimitPerSecond, windows, toKey });
}
