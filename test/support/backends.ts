import { describe, inject } from 'vitest';
import { EVERYTHING, EVERYTHING_SUITE } from './run/extent.js';
import { REDIS_SUITE } from './run/provided.js';

export type Backend = 'postgres' | 'redis';

/** Runs a suite on both queue backends. Without a Redis server, the tests on Redis are skipped and reported. */
export function describeEachBackend(name: string, suite: (backend: Backend) => void): void {
  describe(`${name} [postgres]`, () => suite('postgres'));
  describeRedis(name, () => suite('redis'));
}

/** Runs a suite on the PostgreSQL backend, and in a full run (TESTS=all) also on Redis. */
export function describeFeature(name: string, suite: (backend: Backend) => void): void {
  describe(`${name} [postgres]`, () => suite('postgres'));
  describeInFullRun(name, () => describeRedis(name, () => suite('redis')));
}

/** Runs a suite in full runs, and skips and reports it in other runs. */
export function describeInFullRun(name: string, suite: () => void): void {
  if (EVERYTHING) suite();
  else describe.skip(`${name} ${EVERYTHING_SUITE}`, suite);
}

/** Skips and reports the suite if this machine has no Redis. */
export function describeRedis(name: string, suite: () => void): void {
  describe.skipIf(inject('services').redisUrl === null)(`${name} ${REDIS_SUITE}`, suite);
}
