import type { BrowserContext, Page } from 'playwright-core';
import { createOperator } from '../../../src/accounts/operators/operators.js';
import type { OperatorRole } from '../../../src/accounts/operators/roles/roles.js';
import { newId } from '../../../src/platform/ids.js';
import { createTestAccount, type TestAccount } from '../../support/accounts.js';
import { beginSession } from '../../support/operators.js';
import { type TestApp, type TestAppOptions, testApp } from '../../support/test-app.js';
import { newProfile } from './browser.js';
import { WATCH_CANVAS } from './cut-text.js';
import { recordProblems } from './page-problems.js';
import { DESKTOP } from './views.js';

const COOKIE = 'heliograph';

export interface ConsoleUser {
  role: OperatorRole;
  scope: 'account' | 'installation';
}

export interface OpenConsole {
  readonly api: TestApp;
  /** Without a trailing slash. */
  readonly url: string;
  readonly account: TestAccount;
  /**
   * Opens a path below the account's pages, such as `developers/apps`, or an absolute path. `as` is an owner of the
   * installation by default, and null opens the page without signing in.
   */
  open(path: string, as?: ConsoleUser | null): Promise<Page>;
  /** `token` is the value of the session cookie. */
  signIn(viewer: ConsoleUser): Promise<{ operatorId: string; name: string; token: string }>;
  pages(): Page[];
  closePages(): Promise<void>;
  close(): Promise<void>;
}

/** Opens a console without demo data, unless `settings` enable it. */
export async function openConsole(options: TestAppOptions = {}): Promise<OpenConsole> {
  const api = await testApp(options);
  const profiles: BrowserContext[] = [];
  const closePages = async () => {
    for (const profile of profiles.splice(0)) await profile.close();
  };
  const close = async () => {
    await closePages();
    await api.close();
  };
  try {
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = api.app.server.address() as { port: number };
    const url = `http://localhost:${port}`;
    const account = await createTestAccount(api.deps, { name: 'Lighthouse' });

    const signIn = async ({ role, scope }: ConsoleUser) => {
      const grants = [{ role, accountId: scope === 'account' ? account.id : null }];
      const { id, name } = await createOperator(api.deps.prisma, { name: `${role}-${newId().slice(-8)}`, grants });
      const client = { address: '127.0.0.1', userAgent: 'a browser test' };
      const { token } = await beginSession(api.deps, id, client);
      return { operatorId: id, name, token };
    };

    const open = async (path: string, as: ConsoleUser | null = { role: 'owner', scope: 'installation' }) => {
      const profile = await newProfile({
        baseURL: url,
        viewport: DESKTOP,
        permissions: ['clipboard-read', 'clipboard-write'],
      });
      profiles.push(profile);
      if (as) {
        const { token } = await signIn(as);
        await profile.addCookies([{ name: COOKIE, value: token, url, httpOnly: true, sameSite: 'Lax' }]);
      }
      await profile.addInitScript(WATCH_CANVAS);
      const page = await profile.newPage();
      recordProblems(page);
      await page.goto(path.startsWith('/') ? path : `/console/a/${account.id}/${path}`);
      return page;
    };
    const pages = () => profiles.flatMap((profile) => profile.pages());
    return { api, url, account, open, signIn, pages, closePages, close };
  } catch (error) {
    await close();
    throw error;
  }
}
