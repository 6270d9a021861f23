import { describe, inject } from 'vitest';
import { REDIS_SUITE } from './run/provided.js';

/** Where BullMQ keeps its queues. */
export type Backend = 'postgres' | 'redis';

/** Runs the same suite on both queue backends; without a Redis, that half is skipped and counted. */
export function describeEachBackend(name: string, suite: (backend: Backend) => void): void {
  describe(`${name} [postgres]`, () => suite('postgres'));
  describeRedis(name, () => suite('redis'));
}

/** A suite that needs a Redis: skipped and counted where there is none. */
export function describeRedis(name: string, suite: () => void): void {
  describe.skipIf(inject('services').redisUrl === null)(`${name} ${REDIS_SUITE}`, suite);
}
