import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openTestStore, type TestStore } from './open-test-store.js';
import { type TestApp, type TestAppOptions, testApp } from './test-app.js';

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

/** The application for a suite: opened before its first test as `testApp` does, closed after its last. */
export function suiteApp(options?: TestAppOptions): TestApp {
  return closedAfter(() => testApp(options));
}

const sharedApps = new Map<'all' | 'api', Promise<TestApp>>();

/**
 * The application that a test process keeps for all its suites that ask nothing but what is an account's own: opened before
 * the first of them, and ended with the process. Such a suite makes its accounts and channels itself, changes nothing of
 * the installation (prices, carriers, operators, time), counts no rows of all accounts, and does not `listen`; for all
 * else there is `suiteApp`.
 * @param options.role `api` for suites whose messages no worker may take
 */
export function sharedApp({ role = 'all' }: { role?: 'all' | 'api' } = {}): TestApp {
  return forSuite(async () => {
    const opened = sharedApps.get(role) ?? testApp({ role });
    sharedApps.set(role, opened);
    try {
      return { ...(await opened), close: () => Promise.reject(new Error('other suites use this application too')) };
    } catch (error) {
      sharedApps.delete(role);
      throw error;
    }
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
