import { defineConfig } from 'vitest/config';

const reportFile = process.env.TEST_REPORT_FILE;

/** Suites that measure time, or start and kill whole servers: beside others they would measure those. */
const alone = [
  'test/cli/process.test.ts',
  'test/fault/{campaigns,kill}.test.ts',
  'test/flow/{campaigns-beside-sends,embedded,start}.test.ts',
  'test/surface-b/usage.test.ts',
  'test/webhooks/{fairness,ten-thousand}.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // One database server and one Redis serve all files: more processes than this only wait for them.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    reporters: [
      'default',
      'test/support/skipped-reporter.ts',
      ...(reportFile ? [['json', { outputFile: reportFile }] as ['json', { outputFile: string }]] : []),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, maxWorkers: 1, testTimeout: 60_000, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
