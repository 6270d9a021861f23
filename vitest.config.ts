import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { defineConfig } from 'vitest/config';
import {
  BROWSER,
  CROWDS,
  EVERYTHING,
  JOURNEY,
  MEASURING,
  PROCESSES,
  REPEATING,
  STORMS,
  TAKES_SLOW,
} from './test/support/run/extent.js';
import { countWorkers } from './test/support/run/machine.js';
import { Sequencer } from './test/support/run/sequencer.js';
import { SPECIALIZED, WALKS } from './test/support/run/walks.js';
import { HANG_MS, WAIT_MS } from './test/support/wait-for.js';

const reportFile = process.env.TEST_REPORT_FILE;

/**
 * The cache of compiled sources, one folder per lock file. With a shared folder, Vitest 4.1 would delete the cache of another lock
 * file without creating the folder again.
 */
const lockfile = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
const compiled = `node_modules/.cache/vitest/${lockfile.slice(0, 12)}`;

/**
 * Tests that open no application. They run in separate processes, because they fake the clock, which must not affect an
 * application that another file has left open.
 */
const units = 'test/**/*.unit.test.ts';

/** Tests that partition the tables themselves. Left out if every test database is partitioned (docs/develop/tests.md). */
const dividing = process.env.TEST_DIVIDED
  ? ['test/messages/partitions/**', 'test/cli/partition*.test.ts', 'test/house/account-statements.test.ts']
  : [];

/** Common options. A project that extended the main configuration would run its global setup again. */
const shared = {
  setupFiles: [
    'test/support/run/second-connections.ts',
    'test/support/run/shaking.ts',
    'test/support/run/recording.ts',
    'test/support/run/failed-tests-log.ts',
  ],
  pool: 'forks' as const,
  // As for the server, so that less time goes to garbage collection.
  execArgv: ['--max-semi-space-size=64'],
  // A worker loads the application once for all of its files, so they must keep no state in modules.
  isolate: false,
  // Only for tests that hang; a slow machine stays far below.
  testTimeout: HANG_MS,
  hookTimeout: HANG_MS,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: WAIT_MS } },
  // Passwords are hashed at full cost only with TESTS=all.
  alias: EVERYTHING ? [] : [{ find: '@node-rs/argon2', replacement: resolve('test/support/run/quick-argon2.ts') }],
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/run/global-setup.ts'],
    // Quick tests often wait for PostgreSQL, so more of them share a core. Slow tests mostly compute.
    maxWorkers: countWorkers(TAKES_SLOW ? 1.5 : 2),
    teardownTimeout: 60_000,
    sequence: { sequencer: Sequencer },
    // Otherwise each project would compile the same sources again.
    experimental: { fsModuleCache: true, fsModuleCachePath: compiled },
    reporters: [
      'default',
      'test/support/run/slowest-reporter.ts',
      'test/support/run/skipped-reporter.ts',
      ...(reportFile ? [['json', { outputFile: reportFile }] as ['json', { outputFile: string }]] : []),
    ],
    projects: [
      {
        test: {
          ...shared,
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [
            ...PROCESSES,
            ...(TAKES_SLOW ? [] : [...STORMS, ...REPEATING, ...WALKS, ...SPECIALIZED]),
            ...CROWDS,
            ...MEASURING,
            ...dividing,
            BROWSER,
            units,
          ],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'units',
          include: [units],
          exclude: TAKES_SLOW ? [] : [...WALKS, ...SPECIALIZED],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'browser',
          include: [TAKES_SLOW ? BROWSER : JOURNEY],
          globalSetup: ['test/support/run/browser-setup.ts'],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'processes',
          include: TAKES_SLOW ? PROCESSES : [],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...shared,
          name: 'alone',
          include: [...(EVERYTHING ? MEASURING : []), ...(TAKES_SLOW ? CROWDS : [])],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
