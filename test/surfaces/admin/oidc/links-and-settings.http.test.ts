import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { resetOperator } from '../../../../src/accounts/operators/changes/change.js';
import { createOperator } from '../../../../src/accounts/operators/operators.js';
import { OidcBrowser } from '../../../support/oidc-browser.js';
import { CLIENT, suiteIssuer } from '../../../support/oidc-issuer.js';
import { beginSession } from '../../../support/operators.js';
import { suiteApp } from '../../../support/suite.js';
import { type TestApp, testApp } from '../../../support/test-app.js';

const issuer = await suiteIssuer();

const settings = { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret };
const heliograph = suiteApp({ role: 'api', settings });
let count = 0;

beforeEach(() => issuer.reset());

async function signInOperator(): Promise<{ id: string; name: string; browser: OidcBrowser }> {
  count += 1;
  const grants = [{ role: 'owner' as const, accountId: null }];
  const operator = await createOperator(heliograph.deps.prisma, { name: `keeper-${count}`, grants });
  const browser = new OidcBrowser(heliograph);
  const client = { address: browser.remoteAddress, userAgent: 'test' };
  browser.cookies.set('heliograph', (await beginSession(heliograph.deps, operator.id, client, 'link')).token);
  issuer.reset({ sub: `keeper-${count}-there`, email: 'someone@elsewhere.example', email_verified: false });
  return { ...operator, browser };
}

describe('a signed-in operator', () => {
  it('links their identity at the issuer, signs in with it, and unlinks it', async () => {
    const { id, name, browser } = await signInOperator();
    expect(await browser.readOperator()).toMatchObject({ hasOidc: false });
    expect(await browser.finishSignIn(await browser.startSignIn(undefined, '/link'))).toBe('/console/me');
    expect(await browser.readOperator()).toMatchObject({ name, hasOidc: true });
    expect((await browser.ask('POST', '/admin/v1/session/oidc/link')).statusCode).toBe(409);

    const otherBrowser = new OidcBrowser(heliograph);
    await otherBrowser.signIn();
    expect(await otherBrowser.readOperator()).toMatchObject({ name });

    expect((await browser.ask('DELETE', '/admin/v1/session/oidc')).statusCode).toBe(200);
    expect(await browser.readOperator()).toMatchObject({ hasOidc: false });
    expect((await browser.ask('DELETE', '/admin/v1/session/oidc')).statusCode).toBe(409);
    expect(await new OidcBrowser(heliograph).signIn()).toBe('/console/sign-in?problem=unverified');

    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { subject: id },
      orderBy: { id: 'asc' },
    });
    const identity = { issuer: issuer.url, subject: issuer.behaviour.person.sub };
    expect(auditEntries.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      { action: 'oidc-link.create', before: null, after: { name, ...identity, by: 'operator' } },
      { action: 'oidc-link.remove', before: identity, after: null },
    ]);
  });

  it('cannot link an identity that another operator has linked', async () => {
    const firstOperator = await signInOperator();
    await firstOperator.browser.finishSignIn(await firstOperator.browser.startSignIn(undefined, '/link'));
    const { sub } = issuer.behaviour.person;
    const secondOperator = await signInOperator();
    issuer.reset({ sub });
    const page = await secondOperator.browser.finishSignIn(
      await secondOperator.browser.startSignIn(undefined, '/link'),
    );
    expect(page).toBe('/console/me?problem=taken');
    expect(await secondOperator.browser.readOperator()).toMatchObject({ hasOidc: false });
  });

  it('cannot link an identity after signing out', async () => {
    const { id, browser } = await signInOperator();
    const redirectUrl = await browser.startSignIn(undefined, '/link');
    await browser.ask('DELETE', '/admin/v1/session');
    expect(await browser.finishSignIn(redirectUrl)).toBe('/console/me?problem=expired');
    expect(await heliograph.deps.prisma.operator.findUnique({ where: { id } })).toMatchObject({ oidcSubject: null });
  });

  it('loses the linked identity with a reset', async () => {
    const { id, browser } = await signInOperator();
    await signInOperator();
    await browser.finishSignIn(await browser.startSignIn(undefined, '/link'));
    await heliograph.deps.prisma.$transaction((tx) => resetOperator(tx, id, new Date(), 'command line'));
    expect(await heliograph.deps.prisma.operator.findUnique({ where: { id } })).toMatchObject({ oidcSubject: null });
  });
});

describe('sign-in by OpenID Connect', () => {
  async function withSecondApp<T>(
    extraSettings: Record<string, string>,
    check: (api: TestApp, logged: () => string) => Promise<T>,
  ): Promise<T> {
    const logLines: string[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => void logLines.push(line) });
    const api = await testApp({ role: 'api', sharesWith: heliograph, log, settings: extraSettings });
    try {
      return await check(api, () => logLines.join(''));
    } finally {
      await api.close();
    }
  }

  it('is not offered unless it is configured', () =>
    withSecondApp({}, async (api) => {
      const browser = new OidcBrowser(api);
      expect((await browser.ask('GET', '/admin/v1/session/oidc')).json()).toEqual({ data: { label: null } });
      expect((await browser.ask('POST', '/admin/v1/session/oidc', {})).statusCode).toBe(404);
      const page = await browser.finishSignIn(
        new URL('http://localhost/admin/v1/session/oidc/callback?code=1&state=2'),
      );
      expect(page).toBe('/console/sign-in?problem=expired');
    }));

  it('reports that the issuer is unavailable, and works once it is back', () =>
    withSecondApp({ ...settings, OIDC_ISSUER: 'http://127.0.0.1:1' }, async (api, logged) => {
      const refusal = await new OidcBrowser(api).ask('POST', '/admin/v1/session/oidc', {});
      expect(refusal.statusCode).toBe(503);
      expect(refusal.json().error.message).toContain('single sign-on');
      expect(logged()).toContain('A sign-in by OpenID Connect failed');
      // The failed sign-in must not be cached for other applications, whose issuer works.
      await new OidcBrowser(heliograph).startSignIn();
    }));

  it('fails if the issuer identifies itself differently', () =>
    withSecondApp({ ...settings, OIDC_ISSUER: issuer.url.replace('127.0.0.1', 'localhost') }, async (api, logged) => {
      expect((await new OidcBrowser(api).ask('POST', '/admin/v1/session/oidc', {})).statusCode).toBe(503);
      expect(logged()).toContain('discovered metadata issuer does not match the expected issuer');
    }));

  it('logs why the issuer refused, without secrets', () =>
    withSecondApp(settings, async (api, logged) => {
      const browser = new OidcBrowser(api);
      issuer.behaviour.tokens = 'refused';
      const redirectUrl = await browser.startSignIn();
      const cookie = browser.cookies.get('heliograph-oidc') ?? '';
      expect(await browser.finishSignIn(redirectUrl)).toBe('/console/sign-in?problem=failed');
      expect(logged()).toContain('invalid_client');
      expect(logged()).toContain('The secret is not right.');
      for (const secret of [CLIENT.secret, cookie, ...redirectUrl.searchParams.values()]) {
        if (secret !== issuer.url) expect(logged()).not.toContain(secret);
      }
    }));

  it('uses the configured URL of the console, with cookies of that host only', () =>
    withSecondApp({ ...settings, CONSOLE_URL: 'https://console.example.com/' }, async (api) => {
      await createOperator(heliograph.deps.prisma, {
        name: 'ada@example.com',
        grants: [{ role: 'viewer', accountId: null }],
      });
      const browser = new OidcBrowser(api, 'https://console.example.com');
      const redirectUrl = await browser.startSignIn();
      expect(`${redirectUrl.origin}${redirectUrl.pathname}`).toBe(
        'https://console.example.com/admin/v1/session/oidc/callback',
      );
      expect([...browser.cookies.keys()]).toEqual(['__Host-heliograph-oidc']);
      await browser.finishSignIn(redirectUrl);
      expect([...browser.cookies.keys()]).toEqual(['__Host-heliograph']);
      expect(await browser.readOperator()).toMatchObject({ name: 'ada@example.com' });

      const otherHostResponse = await new OidcBrowser(api).ask('POST', '/admin/v1/session/oidc', {});
      expect(otherHostResponse.statusCode).toBe(409);
      expect(otherHostResponse.json().error.message).toContain('https://console.example.com/console/sign-in');
    }));
});
