import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestAccount } from '../../../support/accounts.js';
import { OidcBrowser } from '../../../support/oidc-browser.js';
import { CLIENT, suiteIssuer } from '../../../support/oidc-issuer.js';
import { createTestOperator, ORIGIN, PASSWORD, type TestOperator } from '../../../support/operators.js';
import { suiteApp } from '../../../support/suite.js';

const issuer = await suiteIssuer();
const settings = { OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret };
const heliograph = suiteApp({ role: 'api', settings });

let owner: TestOperator;
let count = 0;
let email: string;
let remoteAddress: string;
beforeAll(async () => {
  owner = await createTestOperator(heliograph);
});
beforeEach(() => {
  count += 1;
  email = `ceo-${count}@example.com`;
  remoteAddress = `198.51.100.${count}`;
  issuer.reset({ sub: `ceo-${count}`, email });
});

const send = (method: 'POST' | 'PUT' | 'GET', path: string, payload?: object, cookie = '') =>
  heliograph.app.inject({
    method,
    url: `/admin/v1${path}`,
    remoteAddress,
    headers: { origin: ORIGIN, 'content-type': 'application/json', ...(cookie && { cookie }) },
    ...(payload && { payload }),
  });

async function followLink(url: string): Promise<string> {
  const response = await send('POST', '/session/link', { token: url.split('#token=')[1] });
  expect(response.statusCode).toBe(200);
  return `heliograph=${response.cookies[0]?.value}`;
}

describe('the first sign-in by e-mail address', () => {
  it('ends all access of the previous person, and is audited', async () => {
    const accountId = (await createTestAccount(heliograph.deps)).id;
    const squatter = await createTestOperator(heliograph, { role: 'owner', accountId });
    const createResponse = await squatter.ask('POST', `/accounts/${accountId}/operators`, {
      name: email,
      role: 'owner',
    });
    const { id, link } = createResponse.json().data;
    const oldCookie = await followLink(link.url);
    expect((await send('PUT', '/session/password', { password: PASSWORD }, oldCookie)).statusCode).toBe(200);
    const { url: unused } = (await owner.ask('POST', `/operators/${id}/link`)).json().data;
    const intruder = new OidcBrowser(heliograph);
    intruder.cookies.set('heliograph', oldCookie.slice('heliograph='.length));
    issuer.reset({ sub: 'the intruder', email: 'intruder@example.com' });
    const linkRedirect = await intruder.startSignIn(undefined, '/link');
    issuer.reset({ sub: `ceo-${count}`, email });

    const browser = new OidcBrowser(heliograph);
    expect(await browser.signIn()).toBe('/console/');
    expect(await browser.readOperator()).toMatchObject({ id, name: email, hasPassword: false, hasSecondFactor: false });
    expect((await send('GET', '/session', undefined, oldCookie)).statusCode).toBe(401);
    expect((await send('POST', '/session', { name: email, password: PASSWORD })).statusCode).toBe(401);
    expect((await send('POST', '/session/link', { token: unused.split('#token=')[1] })).statusCode).toBe(401);
    expect(await intruder.finishSignIn(linkRedirect)).toBe('/console/me?problem=expired');

    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { actorId: id, action: { startsWith: 'oidc-link.' } },
    });
    const endedAccess = { password: true, secondFactor: false, sessions: 1, links: 1 };
    const after = { name: email, issuer: issuer.url, subject: `ceo-${count}`, by: 'email', ended: endedAccess };
    expect(auditEntries).toMatchObject([{ action: 'oidc-link.create', accountId: null, subject: id, after }]);
  });

  it('removes the second factor, because somebody else may have its codes', async () => {
    const { id } = (
      await owner.ask('POST', '/operators', { name: email, grants: [{ role: 'viewer', accountId: null }] })
    ).json().data;
    const data = {
      totpSecret: 'JBSWY3DPEHPK3PXP',
      totpConfirmedAt: new Date(),
      recoveryCodeHashes: [Buffer.from('x')],
    };
    await heliograph.deps.prisma.operator.update({ where: { id }, data });
    await new OidcBrowser(heliograph).signIn();
    expect(await heliograph.deps.prisma.operator.findUniqueOrThrow({ where: { id } })).toMatchObject({
      totpSecret: null,
      totpConfirmedAt: null,
      recoveryCodeHashes: [],
      oidcSubject: `ceo-${count}`,
    });
  });

  it('ends sessions by the old password, even if they start concurrently', async () => {
    const grants = [{ role: 'owner' as const, accountId: null }];
    const { id } = (await owner.ask('POST', '/operators', { name: email, grants })).json().data;
    const cookie = await followLink((await owner.ask('POST', `/operators/${id}/link`)).json().data.url);
    await send('PUT', '/session/password', { password: PASSWORD }, cookie);
    const signIn = () => send('POST', '/session', { name: email, password: PASSWORD });
    expect((await signIn()).statusCode).toBe(200);
    const browser = new OidcBrowser(heliograph);
    const signInUntilRefused = async () => {
      while ((await signIn()).statusCode === 200);
    };
    const attempts = [signInUntilRefused(), signInUntilRefused(), signInUntilRefused()];
    await browser.signIn();
    await Promise.all(attempts);
    const sessions = await heliograph.deps.prisma.operatorSession.findMany({ where: { operatorId: id } });
    expect(sessions.map(({ way }) => way)).toEqual(['oidc']);
  });
});

it('a later sign-in, or linking by the operator, ends nothing', async () => {
  await owner.ask('POST', '/operators', { name: email, grants: [{ role: 'viewer', accountId: null }] });
  const browser = new OidcBrowser(heliograph);
  await browser.signIn();
  const cookie = `heliograph=${browser.cookies.get('heliograph')}`;
  await send('PUT', '/session/password', { password: PASSWORD }, cookie);
  await new OidcBrowser(heliograph).signIn();
  expect(await browser.readOperator()).toMatchObject({ hasPassword: true });

  const name = `${email}.other`;
  const grants = [{ role: 'viewer' as const, accountId: null }];
  const { link } = (await owner.ask('POST', '/operators', { name, grants })).json().data;
  const otherBrowser = new OidcBrowser(heliograph);
  const cookieByLink = await followLink(link.url);
  otherBrowser.cookies.set('heliograph', cookieByLink.slice('heliograph='.length));
  await send('PUT', '/session/password', { password: PASSWORD }, cookieByLink);
  issuer.reset({ sub: `${name} there`, email: name });
  expect(await otherBrowser.finishSignIn(await otherBrowser.startSignIn(undefined, '/link'))).toBe('/console/me');
  expect(await otherBrowser.readOperator()).toMatchObject({ name, hasPassword: true, hasOidc: true });
});
