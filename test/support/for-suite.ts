import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openTestStore, type TestStore } from './open-test-store.js';

/** Created once before the first test. The result is empty until then, so only hooks and tests may read it. */
export function forSuite<T extends object>(create: () => Promise<T>): T {
  const value = {} as T;
  beforeAll(async () => {
    Object.assign(value, await create());
  });
  return value;
}

/** Like `forSuite`, but created for each test. */
export function forEachTest<T extends object>(create: () => Promise<T>): T {
  const value = {} as T;
  beforeEach(async () => {
    Object.assign(value, await create());
  });
  return value;
}

/** Like `forEachTest`, and closed after each test. */
export function openForEachTest<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  const closers = closersForEachTest();
  return forEachTest(async () => {
    const opened = await open();
    closers.push(() => opened.close());
    return opened;
  });
}

/** A migrated database without the application, dropped after the suite. */
export function suiteStore(): TestStore {
  return openForSuite(openTestStore);
}

export function openForSuite<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  let opened: T | undefined;
  // Runs after the hooks of everything that was opened later.
  afterAll(() => opened?.close());
  return forSuite(async () => {
    opened = await open();
    return opened;
  });
}

/** A test pushes functions here that close what it opened. They run after the test, the last one first. */
export function closersForEachTest(): (() => Promise<unknown>)[] {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return closers;
}
