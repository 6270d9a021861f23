import { afterAll, beforeEach, expect, it } from 'vitest';
import { createOperator } from '../../src/accounts/operators/operators.js';
import { CLIENT, openIssuer } from '../support/oidc-issuer.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

const issuer = await openIssuer();
afterAll(() => issuer.close());
beforeEach(() => issuer.reset());

const settings = {
  OIDC_ISSUER: issuer.url,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_LABEL: 'Lighthouse ID',
};

describeConsole(
  'signing in with OpenID Connect',
  (console) => {
    it('signing in with OpenID Connect returns to the requested page, and explains a refusal', async () => {
      const grants = [{ role: 'developer' as const, accountId: console.account.id }];
      await createOperator(console.api.deps.prisma, { name: 'ada@example.com', grants });
      const page = await console.open('developers/apps', null);
      // Until someone signs in, the server answers the page's session query with 401.
      expectProblems(page, /status of 401/);
      issuer.behaviour.answers = 'access_denied';
      await page.getByRole('button', { name: 'Sign in with Lighthouse ID' }).click();
      await page.getByText('You declined').waitFor();
      await checkAccessible(page);

      issuer.behaviour.answers = 'code';
      await page.getByRole('button', { name: 'Sign in with Lighthouse ID' }).click();
      await page.waitForURL(`${console.url}/console/a/${console.account.id}/developers/apps`);
      await page.getByRole('heading', { name: 'Apps', exact: true }).waitFor();

      await page.goto('/console/me');
      await page.getByText('You are signed in as ada@example.com.').waitFor();
      await page.getByRole('cell', { name: 'OpenID Connect' }).waitFor();
    });

    it('a signed-in operator connects and disconnects OpenID Connect', async () => {
      issuer.reset({ sub: 'somebody', email: 'somebody@elsewhere.example' });
      const page = await console.open('/console/me');
      await page.getByRole('button', { name: 'Connect Lighthouse ID' }).click();
      await page.getByText('Connected', { exact: true }).waitFor();
      await checkAccessible(page);
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText('Not connected').waitFor();
      expect(await console.api.deps.prisma.operator.count({ where: { oidcSubject: 'somebody' } })).toBe(0);
    });
  },
  { settings },
);
