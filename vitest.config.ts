import { defineConfig } from 'vitest/config';

const reportFile = process.env.TEST_REPORT_FILE;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // One database server and one Redis serve all files: more processes than this only wait for them.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    reporters: [
      'default',
      'test/support/redis-reporter.ts',
      ...(reportFile ? [['json', { outputFile: reportFile }] as ['json', { outputFile: string }]] : []),
    ],
  },
});
