import { describe, inject } from 'vitest';
import { EVERYTHING, EVERYTHING_SUITE } from './run/extent.js';
import { REDIS_SUITE } from './run/provided.js';

export type Backend = 'postgres' | 'redis';

/** Runs a suite on both queue backends. Without Redis, that half is skipped and counted. */
export function describeEachBackend(name: string, suite: (backend: Backend) => void): void {
  describe(`${name} [postgres]`, () => suite('postgres'));
  describeRedis(name, () => suite('redis'));
}

/** Runs a suite on PostgreSQL, and in a full run (TESTS=all) on Redis too. */
export function describeFeature(name: string, suite: (backend: Backend) => void): void {
  describe(`${name} [postgres]`, () => suite('postgres'));
  describeInFullRun(name, () => describeRedis(name, () => suite('redis')));
}

/** Skipped and counted unless this is a full run. */
export function describeInFullRun(name: string, suite: () => void): void {
  if (EVERYTHING) suite();
  else describe.skip(`${name} ${EVERYTHING_SUITE}`, suite);
}

/** Skipped and counted if this machine has no Redis. */
export function describeRedis(name: string, suite: () => void): void {
  describe.skipIf(inject('services').redisUrl === null)(`${name} ${REDIS_SUITE}`, suite);
}
