import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setOperatorActive } from '../../../../src/accounts/operators/changes/change.js';
import { createOperator } from '../../../../src/accounts/operators/operators.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { OidcBrowser } from '../../../support/oidc-browser.js';
import { CLIENT, suiteIssuer } from '../../../support/oidc-issuer.js';
import { suiteApp } from '../../../support/suite.js';

const MINUTE_MS = 60_000;
const clock = new ManualClock();
const issuer = await suiteIssuer();

const heliograph = suiteApp({
  role: 'api',
  clock,
  settings: {
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_LABEL: 'Lighthouse ID',
  },
});

let browser: OidcBrowser;
let count = 0;

beforeAll(async () => {
  await createNamedOperator('ada@example.com');
});

beforeEach(() => {
  issuer.reset();
  browser = new OidcBrowser(heliograph);
});

function createNamedOperator(name: string) {
  return createOperator(heliograph.deps.prisma, { name, grants: [{ role: 'viewer', accountId: null }] });
}

async function createPerson() {
  count += 1;
  const email = `person-${count}@example.com`;
  issuer.reset({ sub: `person-${count}-there`, email });
  return { ...(await createNamedOperator(email)), sub: `person-${count}-there` };
}

const listAuditEntries = (operatorId: string) =>
  heliograph.deps.prisma.auditLine.findMany({ where: { actorId: operatorId }, orderBy: { id: 'asc' } });

describe('signing in by OpenID Connect', () => {
  it('is offered under the configured label', async () => {
    expect((await browser.ask('GET', '/admin/v1/session/oidc')).json()).toEqual({ data: { label: 'Lighthouse ID' } });
  });

  it('identifies the operator by verified e-mail address at first, and by subject afterwards', async () => {
    const { id, name, sub } = await createPerson();
    issuer.behaviour.person.email = name.toUpperCase();
    expect(await browser.signIn()).toBe('/console/');
    expect(await browser.readOperator()).toMatchObject({ name, hasOidc: true });

    issuer.reset({ sub, email: 'ada@example.com' });
    const laterBrowser = new OidcBrowser(heliograph);
    await laterBrowser.signIn();
    expect(await laterBrowser.readOperator()).toMatchObject({ name });

    const auditEntries = await listAuditEntries(id);
    expect(auditEntries.map(({ action, after }) => ({ action, after }))).toEqual([
      { action: 'oidc-link.create', after: { name, issuer: issuer.url, subject: sub, by: 'email' } },
      { action: 'session.create', after: { way: 'oidc' } },
      { action: 'session.create', after: { way: 'oidc' } },
    ]);
    expect(auditEntries.map(({ address }) => address)).toEqual([
      browser.remoteAddress,
      browser.remoteAddress,
      laterBrowser.remoteAddress,
    ]);
    const sessions = (await browser.ask('GET', '/admin/v1/session/all')).json().data;
    expect(sessions.map(({ way }: { way: string }) => way)).toEqual(['oidc', 'oidc']);
  });

  it('uses PKCE, state and nonce, and stores none of them', async () => {
    const startResponse = await browser.ask('POST', '/admin/v1/session/oidc', {});
    const requestParameters = Object.fromEntries(new URL(startResponse.json().data.url).searchParams);
    expect(requestParameters).toEqual({
      client_id: CLIENT.id,
      response_type: 'code',
      scope: 'openid email',
      redirect_uri: 'http://localhost/admin/v1/session/oidc/callback',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(startResponse.cookies).toEqual([
      expect.objectContaining({ name: 'heliograph-oidc', httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 600 }),
    ]);
    const rows = JSON.stringify(await heliograph.deps.prisma.oidcSignIn.findMany());
    for (const secret of [requestParameters.state, requestParameters.nonce, startResponse.cookies[0]?.value])
      expect(rows).not.toContain(secret);
  });

  it('reads the e-mail address from the ID token or from userinfo', async () => {
    const { name } = await createPerson();
    issuer.behaviour.emailInToken = false;
    await browser.signIn();
    expect(await browser.readOperator()).toMatchObject({ name });
    expect(issuer.requestedPaths).toContain('/userinfo');
  });

  it('does not ask for the second factor', async () => {
    const { id, name } = await createPerson();
    const data = { totpSecret: 'A'.repeat(32), totpConfirmedAt: clock.now() };
    await heliograph.deps.prisma.operator.update({ where: { id }, data });
    await browser.signIn();
    expect(await browser.readOperator()).toMatchObject({ name });
  });

  it.each([
    ['/console/me?tab=1#x', '/console/me?tab=1#x'],
    ['/console', '/console'],
    ['https://evil.example/console/', '/console/'],
    ['//evil.example/console/', '/console/'],
    ['/\\evil.example/console', '/console/'],
    ['/console/..//evil.example', '/console/'],
    ['/console/%2e%2e//evil.example', '/console/'],
    ['/\t/evil.example', '/console/'],
    ['/consoles', '/console/'],
    ['javascript:alert(1)', '/console/'],
    ['/admin/v1/session', '/console/'],
  ])('redirects to the requested page: %j to %s', async (requestedPage, page) => {
    await createPerson();
    expect(await browser.signIn(requestedPage)).toBe(page);
  });
});

describe('a sign-in by OpenID Connect is refused', () => {
  async function expectRefusal(page: string, problem: string) {
    expect(page).toBe(`/console/sign-in?problem=${problem}`);
    expect(await browser.readOperator()).toBeNull();
  }

  it('with another state, and the correct state stays valid', async () => {
    const { name } = await createPerson();
    const redirectUrl = await browser.startSignIn();
    const forgedUrl = new URL(redirectUrl);
    forgedUrl.searchParams.set('state', 'x'.repeat(43));
    await expectRefusal(await browser.finishSignIn(forgedUrl), 'expired');
    forgedUrl.searchParams.delete('state');
    await expectRefusal(await browser.finishSignIn(forgedUrl), 'expired');
    await browser.finishSignIn(redirectUrl);
    expect(await browser.readOperator()).toMatchObject({ name });
  });

  it('a second time', async () => {
    await createPerson();
    const redirectUrl = await browser.startSignIn();
    const cookies = new Map(browser.cookies);
    await browser.finishSignIn(redirectUrl);
    browser.cookies.clear();
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    await expectRefusal(await browser.finishSignIn(redirectUrl), 'expired');
  });

  it('in a different browser than the one that started it', async () => {
    await createPerson();
    const redirectUrl = await browser.startSignIn();
    browser = new OidcBrowser(heliograph);
    await expectRefusal(await browser.finishSignIn(redirectUrl), 'expired');
    await browser.startSignIn();
    await expectRefusal(await browser.finishSignIn(redirectUrl), 'expired');
  });

  it('after ten minutes', async () => {
    await createPerson();
    const redirectUrl = await browser.startSignIn();
    clock.advance(10 * MINUTE_MS);
    await expectRefusal(await browser.finishSignIn(redirectUrl), 'expired');
  });

  it.each([
    ['another nonce', { nonce: 'of another sign-in' }],
    ['no nonce', { nonce: undefined }],
    ['another issuer', { iss: 'https://evil.example' }],
    ['another audience', { aud: 'another client' }],
    ['an expiry in the past', { exp: Math.floor(Date.now() / 1000) - 3600 }],
  ])('with a token that has %s', async (_what, claims) => {
    await createPerson();
    Object.assign(issuer.behaviour.claims, claims);
    await expectRefusal(await browser.signIn(), 'failed');
  });

  it.each([
    ['the token is not signed by the issuer', { signs: 'stranger' }, 'failed'],
    ['the issuer fails during the sign-in', { tokens: 'broken' }, 'unreachable'],
  ] as const)('if %s', async (_what, behaviour, problem) => {
    await createPerson();
    Object.assign(issuer.behaviour, behaviour);
    await expectRefusal(await browser.signIn(), problem);
  });

  it('with a response from another issuer', async () => {
    await createPerson();
    const redirectUrl = await browser.startSignIn();
    redirectUrl.searchParams.set('iss', 'https://evil.example');
    await expectRefusal(await browser.finishSignIn(redirectUrl), 'failed');
  });

  it.each([[false], [undefined], [1], ['false']])('if the e-mail address is not verified: %j', async (verified) => {
    await createPerson();
    issuer.behaviour.person.email_verified = verified;
    await expectRefusal(await browser.signIn(), 'unverified');
  });

  it.each([
    ['stranger@example.com'],
    // The address begins with the Kelvin sign, whose lower case is the letter k.
    ['\u212Aim@example.com'],
  ])('if no operator has the e-mail address %s', async (email) => {
    await createNamedOperator('kim@example.com').catch(() => undefined);
    issuer.reset({ sub: `of ${email}`, email });
    await expectRefusal(await browser.signIn(), 'unknown');
  });

  it('if the operator is linked to another identity', async () => {
    const { name } = await createPerson();
    await new OidcBrowser(heliograph).signIn();
    issuer.reset({ sub: 'who got the address later', email: name });
    await expectRefusal(await browser.signIn(), 'taken');
  });

  it('if the operator is disabled, whether linked or not', async () => {
    const disable = (id: string) =>
      heliograph.deps.prisma.$transaction((tx) => setOperatorActive(tx, id, false, 'command line'));
    // Another owner must exist, because the last active owner cannot be disabled.
    await createOperator(heliograph.deps.prisma, { name: 'root', grants: [{ role: 'owner', accountId: null }] });
    const knownOperator = await createPerson();
    await new OidcBrowser(heliograph).signIn();
    await disable(knownOperator.id);
    await expectRefusal(await browser.signIn(), 'off');
    await disable((await createPerson()).id);
    await expectRefusal(await browser.signIn(), 'off');
  });

  it('if the person declines, and returns to the same page once they accept', async () => {
    const { name } = await createPerson();
    issuer.behaviour.answers = 'access_denied';
    expect(await browser.signIn('/console/me')).toBe('/console/sign-in?problem=denied&to=%2Fconsole%2Fme');
    expect(await browser.readOperator()).toBeNull();
    issuer.behaviour.answers = 'code';
    await browser.signIn();
    expect(await browser.readOperator()).toMatchObject({ name });
  });

  it('after thirty unfinished attempts from one address', async () => {
    await createPerson();
    for (let attempt = 0; attempt < 29; attempt += 1) await browser.startSignIn();
    expect(await browser.signIn()).toBe('/console/');
    await browser.startSignIn();
    const refusal = await browser.ask('POST', '/admin/v1/session/oidc', {});
    expect(refusal.statusCode).toBe(429);
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
    clock.advance(5 * MINUTE_MS);
    await browser.startSignIn();
  });
});
