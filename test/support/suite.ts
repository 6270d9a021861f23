import { forSuite, openForSuite } from './for-suite.js';
import { type TestApp, type TestAppOptions, testApp } from './test-app.js';

/** Open from before the first test until after the last. */
export function suiteApp(options?: TestAppOptions): TestApp {
  return openForSuite(() => testApp(options));
}

const sharedApps = new Map<'all' | 'api', Promise<TestApp>>();

/**
 * One application for all suites of a process that use only accounts that they create. Such suites change no data of the
 * installation, count no rows of other accounts and do not `listen`. Other suites use `suiteApp`.
 * @param options.role `api` for suites whose messages no worker may process
 */
export function sharedApp({ role = 'all' }: { role?: 'all' | 'api' } = {}): TestApp {
  return forSuite(async () => {
    const heliograph = sharedApps.get(role) ?? testApp({ role });
    sharedApps.set(role, heliograph);
    try {
      return { ...(await heliograph), close: () => Promise.reject(new Error('other suites use this application too')) };
    } catch (error) {
      sharedApps.delete(role);
      throw error;
    }
  });
}
