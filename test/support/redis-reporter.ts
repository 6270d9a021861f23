import type { Reporter, TestModule } from 'vitest/node';
import { REDIS_SUITE } from './provided.js';

/** Closes a run that had no Redis with one line that cannot be overlooked. */
export default class RedisReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    let skipped = 0;
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        if (test.fullName.includes(` ${REDIS_SUITE}`)) skipped += 1;
      }
    }
    if (skipped === 0) return;
    console.log(
      `\n!!! ${skipped} TESTS WERE SKIPPED FOR WANT OF A REDIS: install redis-server or valkey-server ` +
        '(Debian: apt-get install redis-server; macOS: brew install redis), or set TEST_REDIS_URL. !!!\n',
    );
  }
}
