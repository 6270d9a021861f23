import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openTestStore, type TestStore } from './open-test-store.js';

/**
 * What a suite needs in all its tests, made once before the first. It is empty until then: only hooks and tests read
 * it. It has the fields of what was made, copied: for what keeps a state in its own fields, a variable is the thing.
 */
export function forSuite<T extends object>(make: () => Promise<T>): T {
  const made = {} as T;
  beforeAll(async () => {
    Object.assign(made, await make());
  });
  return made;
}

/** What every test of a suite gets anew; otherwise as `forSuite`. */
export function forEachTest<T extends object>(make: () => Promise<T>): T {
  const made = {} as T;
  beforeEach(async () => {
    Object.assign(made, await make());
  });
  return made;
}

/** As `forEachTest`, of what has a `close`, which is called after each test. */
export function openedForEachTest<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  const closers = closersOfEachTest();
  return forEachTest(async () => {
    const opened = await open();
    closers.push(() => opened.close());
    return opened;
  });
}

/** A migrated database for a suite, without the rest of the application; dropped after its last test. */
export function suiteStore(): TestStore {
  return closedAfter(openTestStore);
}

/** What a suite opens and closes, for whatever has a `close`. */
export function closedAfter<T extends { close(): Promise<void> }>(open: () => Promise<T>): T {
  let opened: T | undefined;
  // Runs after the hooks of everything that was opened later.
  afterAll(() => opened?.close());
  return forSuite(async () => {
    opened = await open();
    return opened;
  });
}

/** What a test opens: it pushes here how that is closed, and all is closed after it, what was opened last first. */
export function closersOfEachTest(): (() => Promise<unknown>)[] {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return closers;
}
