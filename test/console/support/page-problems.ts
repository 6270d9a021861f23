import type { Page } from 'playwright-core';

const problems = new WeakMap<Page, string[]>();
const expected = new WeakMap<Page, RegExp[]>();

/** Errors of the live stream are allowed, because the page then polls and reconnects. */
const LIVE = /\/admin\/v1\/live\b/;

export function recordProblems(page: Page): void {
  const pageProblems: string[] = [];
  problems.set(page, pageProblems);
  page.on('pageerror', (error) => pageProblems.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') pageProblems.push(`${message.text()} (${message.location().url})`);
  });
  page.on('crash', () => pageProblems.push('the page crashed'));
}

/** Allows errors that a test provokes, such as `/status of 403/`. */
export function expectProblems(page: Page, ...patterns: RegExp[]): void {
  expected.set(page, [...(expected.get(page) ?? []), ...patterns]);
}

export function unexpectedProblems(page: Page): string[] {
  const allowed = [LIVE, ...(expected.get(page) ?? [])];
  return (problems.get(page) ?? []).filter((problem) => !allowed.some((pattern) => pattern.test(problem)));
}
