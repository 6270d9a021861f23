import { expect, it, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import SkippedReporter from '../support/run/skipped-reporter.js';

const LACKS_REDIS = /SKIPPED FOR LACK OF A REDIS/;

function runReporter(services: { redisUrl: string | null; redisBinary: string | null }, ...names: string[]): string {
  const consoleLog = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const project = { config: {}, getProvidedContext: () => ({ services, browserUrl: null }) };
  const tests = names.map((fullName) => ({ fullName, project }));
  new SkippedReporter().onTestRunEnd([{ children: { allTests: () => tests } } as unknown as TestModule]);
  const report = consoleLog.mock.calls.flat().join('\n');
  consoleLog.mockRestore();
  return report;
}

it('reports a missing Redis only on a machine without one', () => {
  const redis = { redisUrl: 'redis://127.0.0.1:6379', redisBinary: 'redis-server' };
  expect(runReporter({ redisUrl: null, redisBinary: null }, 'the relay [redis] > works')).toMatch(LACKS_REDIS);
  // On a machine with Redis, only `-t` or a failed hook skips the test.
  expect(runReporter(redis, 'the relay [redis] > works')).not.toMatch(LACKS_REDIS);
});

it('does not report tests that need TESTS=all as skipped because of Redis', () => {
  const report = runReporter(
    { redisUrl: null, redisBinary: null },
    'campaigns [everything] > campaigns [redis] > works',
  );
  expect(report).not.toMatch(LACKS_REDIS);
});
