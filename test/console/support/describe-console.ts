import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest';
import { BROWSER_SUITE } from '../../support/run/provided.js';
import type { TestAppOptions } from '../../support/test-app.js';
import { type OpenConsole, openConsole } from './open-console.js';
import { problemsOf } from './page-problems.js';
import { SHOTS } from './shot.js';

/**
 * A suite with the console in a browser: skipped and counted where there is no browser. The console is opened before the
 * first test and closed after the last; what a test has opened of it is closed after the test, which fails for whatever
 * went wrong in its pages.
 * @param suite is given the console; it is there in hooks and tests only
 */
export function describeConsole(name: string, suite: (console: OpenConsole) => void, options?: TestAppOptions): void {
  describe.skipIf(inject('browserUrl') === null)(`${name} ${BROWSER_SUITE}`, () => {
    const made = {} as OpenConsole;
    beforeAll(async () => {
      Object.assign(made, await openConsole(options));
    });
    afterAll(() => made.close?.());
    afterEach(async ({ task }) => {
      const pages = made.pages();
      const problems = pages.flatMap(problemsOf);
      if (task.result?.state === 'fail') {
        const file = `${task.name.replaceAll(/[^\w]+/g, '-').slice(0, 80)}.png`;
        for (const page of pages) await page.screenshot({ path: `${SHOTS}/failed/${file}` }).catch(() => undefined);
      }
      await made.closePages();
      expect(problems, 'what went wrong in the pages').toEqual([]);
    });
    suite(made);
  });
}
