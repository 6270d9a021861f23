import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openTestStore, type TestStore } from './open-test-store.js';

/** Creates a value before the first test. Only hooks and tests may read the returned object, which is empty before they run. */
export function forSuite<T extends object>(create: () => Promise<T>): T {
  const value = {} as T;
  beforeAll(async () => {
    Object.assign(value, await create());
  });
  return value;
}

/** Creates a value before each test, and otherwise works like `forSuite`. */
export function forEachTest<T extends object>(create: () => Promise<T>): T {
  const value = {} as T;
  beforeEach(async () => {
    Object.assign(value, await create());
  });
  return value;
}

/** Opens a resource before each test, and closes it after the test. */
export function openForEachTest<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  const closers = closersForEachTest();
  return forEachTest(async () => {
    const opened = await open();
    closers.push(() => opened.close());
    return opened;
  });
}

/** Creates a migrated database without the application, and drops it after the suite. */
export function suiteStore(): TestStore {
  return openForSuite(openTestStore);
}

export function openForSuite<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  let opened: T | undefined;
  // Vitest runs this hook after the hooks of resources that were opened later.
  afterAll(() => opened?.close());
  return forSuite(async () => {
    opened = await open();
    return opened;
  });
}

/**
 * Returns a list to which tests add functions that close resources. The functions run after each test, in reverse order, also
 * after one of them has failed.
 */
export function closersForEachTest(): (() => Promise<unknown>)[] {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    const errors: unknown[] = [];
    for (const close of closers.splice(0).reverse()) await close().catch((error) => errors.push(error));
    if (errors.length > 0) throw errors[0];
  });
  return closers;
}
