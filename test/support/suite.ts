import { forSuite, openForSuite } from './for-suite.js';
import { type TestApp, type TestAppOptions, testApp } from './test-app.js';

/** Opens an application before the first test and closes it after the last. */
export function suiteApp(options?: TestAppOptions): TestApp {
  return openForSuite(() => testApp(options));
}

const sharedApps = new Map<'all' | 'api', Promise<TestApp>>();

/**
 * Shares one application among all suites of a process that use only their own accounts. Suites with a shared application must
 * not change data of the installation, count rows of other accounts or call `listen`. Other suites use `suiteApp`.
 * @param options.role `api` is for suites whose messages no worker may process
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
