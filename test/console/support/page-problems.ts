import type { Page } from 'playwright-core';

const problems = new WeakMap<Page, string[]>();
const expected = new WeakMap<Page, RegExp[]>();

/** The live stream may end or be refused at any time: the page polls then, and tries again. */
const LIVE = /\/admin\/v1\/live\b/;

/** Notes what goes wrong in a page: errors nobody caught, errors of the console, what its security policy refused. */
export function watch(page: Page): void {
  const seen: string[] = [];
  problems.set(page, seen);
  page.on('pageerror', (error) => seen.push(`not caught: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    // What the policy refuses is an error of the console as well.
    if (message.type() === 'error') seen.push(`${message.text()} (${message.location().url})`);
  });
  page.on('crash', () => seen.push('the page crashed'));
}

/** Lets errors pass that a test brings about, such as `/status of 403/` of a request that is refused. */
export function expectProblems(page: Page, ...patterns: RegExp[]): void {
  expected.set(page, [...(expected.get(page) ?? []), ...patterns]);
}

/** What went wrong in a page and was not expected. */
export function problemsOf(page: Page): string[] {
  const allowed = [LIVE, ...(expected.get(page) ?? [])];
  return (problems.get(page) ?? []).filter((problem) => !allowed.some((pattern) => pattern.test(problem)));
}
