import { describe, inject } from 'vitest';
import { EVERYTHING, EVERYTHING_SUITE } from './run/extent.js';
import { REDIS_SUITE } from './run/provided.js';

/** Where BullMQ keeps its queues. */
export type Backend = 'postgres' | 'redis';

/**
 * Runs the same suite on both queue backends, for what meets the queue itself; without a Redis, that half is skipped and
 * counted.
 */
export function describeEachBackend(name: string, suite: (backend: Backend) => void): void {
  describe(`${name} [postgres]`, () => suite('postgres'));
  describeRedis(name, () => suite('redis'));
}

/**
 * Runs the suite of a feature, which meets the queue only as messages/queue hands it on, and that is tried on both
 * backends: on PostgreSQL, and on Redis too where everything runs.
 */
export function describeFeature(name: string, suite: (backend: Backend) => void): void {
  describe(`${name} [postgres]`, () => suite('postgres'));
  describeWhereEverythingRuns(name, () => describeRedis(name, () => suite('redis')));
}

/** What only a run of everything has: left out elsewhere, and counted. */
export function describeWhereEverythingRuns(name: string, suite: () => void): void {
  if (EVERYTHING) suite();
  else describe.skip(`${name} ${EVERYTHING_SUITE}`, suite);
}

/** A suite that needs a Redis: skipped and counted where there is none. */
export function describeRedis(name: string, suite: () => void): void {
  describe.skipIf(inject('services').redisUrl === null)(`${name} ${REDIS_SUITE}`, suite);
}
