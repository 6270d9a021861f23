import { closedAfter, forSuite } from './for-suite.js';
import { type TestApp, type TestAppOptions, testApp } from './test-app.js';

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
