import { defineConfig } from 'vitest/config';

const reportFile = process.env.TEST_REPORT_FILE;

/** Suites that start and kill whole servers: beside all the others, which share one database, each start would be slow. */
const processes = [
  'test/cli/process.flow.test.ts',
  'test/features/campaigns/campaigns.fault.test.ts',
  'test/platform/embedded/embedded.flow.test.ts',
  'test/process/{kill.fault,rolling-restart.fault,start.flow,storms.fault}.test.ts',
];

/** Suites that measure time: beside others they would measure those. */
const alone = [
  'test/features/campaigns/beside-sends.flow.test.ts',
  'test/features/webhooks/{fairness,ten-thousand}.flow.test.ts',
  'test/surfaces/a/large-sends.http.test.ts',
  'test/surfaces/b/usage.http.test.ts',
  'test/upgrade/upgrade.flow.test.ts',
];

/** What a person sees, in Chromium. */
const browser = 'test/console/**/*.browser.test.ts';

export default defineConfig({
  test: {
    globalSetup: ['test/support/run/global-setup.ts'],
    setupFiles: ['test/support/run/second-connections.ts'],
    pool: 'forks',
    // One database server and one Redis serve all files: more processes than this only wait for them.
    maxWorkers: 2,
    // A worker loads the application once for all of its files, which keep their state in what they open and close.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    reporters: [
      'default',
      'test/support/run/skipped-reporter.ts',
      ...(reportFile ? [['json', { outputFile: reportFile }] as ['json', { outputFile: string }]] : []),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...processes, ...alone, browser],
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: [browser],
          globalSetup: ['test/support/run/browser-setup.ts'],
          testTimeout: 90_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: processes,
          isolate: true,
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: alone,
          // What others left in memory is not measured with them.
          isolate: true,
          maxWorkers: 1,
          testTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
