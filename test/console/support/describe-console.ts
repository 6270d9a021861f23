import { afterAll, afterEach, beforeAll, describe, expect, inject } from 'vitest';
import { BROWSER_SUITE } from '../../support/run/provided.js';
import type { TestAppOptions } from '../../support/test-app.js';
import { type OpenConsole, openConsole } from './open-console.js';
import { unexpectedProblems } from './page-problems.js';
import { SHOTS } from './take-shots.js';

/**
 * Skips and reports the suite without a browser, and fails tests whose pages report errors.
 * @param suite `console` can be used only in hooks and tests
 */
export function describeConsole(name: string, suite: (console: OpenConsole) => void, options?: TestAppOptions): void {
  describe.skipIf(inject('browserUrl') === null)(`${name} ${BROWSER_SUITE}`, () => {
    const console = {} as OpenConsole;
    beforeAll(async () => {
      Object.assign(console, await openConsole(options));
    });
    afterAll(() => console.close?.());
    afterEach(async ({ task }) => {
      const pages = console.pages();
      const problems = pages.flatMap(unexpectedProblems);
      if (task.result?.state === 'fail') {
        const file = `${task.name.replaceAll(/[^\w]+/g, '-').slice(0, 80)}.png`;
        for (const page of pages) await page.screenshot({ path: `${SHOTS}/failed/${file}` }).catch(() => undefined);
      }
      await console.closePages();
      expect(problems, 'errors in the pages').toEqual([]);
    });
    suite(console);
  });
}
