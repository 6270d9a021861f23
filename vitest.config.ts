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
import { HANG_MS, WAIT_MS } from './test/support/wait-for.js';

const reportFile = process.env.TEST_REPORT_FILE;

/**
 * The cache of compiled sources, one folder per lock file. Vitest 4.1 deletes the cache of another lock file, does not create the
 * folder again, and then cannot write to it.
 */
const lockfile = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
const translated = `node_modules/.cache/vitest/${lockfile.slice(0, 12)}`;

/**
 * Those that open no application. In processes of their own: what holds the clock would hold that of an application that
 * another file left open for the next, and count its timers.
 */
const units = 'test/**/*.unit.test.ts';

/** Those that divide the tables of a store themselves, where every store is divided already (CONTRIBUTING.md). */
const dividing = process.env.TEST_DIVIDED
  ? ['test/messages/partitions/**', 'test/cli/partition*.test.ts', 'test/house/account-statements.test.ts']
  : [];

/** What every project begins with. None extends the configuration of the run: each would run the run's set-up again. */
const shared = {
  setupFiles: [
    'test/support/run/second-connections.ts',
    'test/support/run/shaking.ts',
    'test/support/run/recording.ts',
    'test/support/run/failed-tests-log.ts',
  ],
  pool: 'forks' as const,
  // As the server is started: less of the time goes to collecting garbage.
  execArgv: ['--max-semi-space-size=64'],
  // A worker loads the application once for all of its files, which keep their state in what they open and close.
  isolate: false,
  // These only end what hangs; a slow machine stays far below.
  testTimeout: HANG_MS,
  hookTimeout: HANG_MS,
  teardownTimeout: 60_000,
  expect: { poll: { timeout: WAIT_MS } },
  // Everything hashes passwords at full cost only with TESTS=all.
  alias: EVERYTHING ? [] : [{ find: '@node-rs/argon2', replacement: resolve('test/support/run/quick-argon2.ts') }],
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/run/global-setup.ts'],
    // At any time some wait for PostgreSQL or for a process to start; slow tests mostly compute.
    maxWorkers: countWorkers(TAKES_SLOW ? 1.5 : 2.5),
    teardownTimeout: 60_000,
    sequence: { sequencer: Sequencer },
    // Each project would otherwise translate the same sources again.
    experimental: { fsModuleCache: true, fsModuleCachePath: translated },
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
            ...(TAKES_SLOW ? [] : [...STORMS, ...REPEATING]),
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
