import type { Page } from 'playwright-core';

const problems = new WeakMap<Page, string[]>();
const expected = new WeakMap<Page, RegExp[]>();

/** Errors of the live stream are allowed: the page then polls and reconnects. */
const LIVE = /\/admin\/v1\/live\b/;

export function watch(page: Page): void {
  const seen: string[] = [];
  problems.set(page, seen);
  page.on('pageerror', (error) => seen.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') seen.push(`${message.text()} (${message.location().url})`);
  });
  page.on('crash', () => seen.push('the page crashed'));
}

/** Allows errors that a test provokes, such as `/status of 403/`. */
export function expectProblems(page: Page, ...patterns: RegExp[]): void {
  expected.set(page, [...(expected.get(page) ?? []), ...patterns]);
}

export function unexpectedProblems(page: Page): string[] {
  const allowed = [LIVE, ...(expected.get(page) ?? [])];
  return (problems.get(page) ?? []).filter((problem) => !allowed.some((pattern) => pattern.test(problem)));
}
