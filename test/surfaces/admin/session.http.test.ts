import { beforeAll, describe, expect, it } from 'vitest';
import { createOperator } from '../../../src/accounts/operators/operators.js';
import { createLinkByName } from '../../../src/accounts/operators/sign-in/sign-in-links.js';
import { createTestAccount } from '../../support/accounts.js';
import { ManualClock } from '../../support/manual-clock.js';
import { beginSession, createTestOperator, ORIGIN, PASSWORD } from '../../support/operators.js';
import { suiteApp } from '../../support/suite.js';
import { testApp } from '../../support/test-app.js';

const clock = new ManualClock();
const heliograph = suiteApp({ role: 'api', clock });
const JSON_ORIGIN = { origin: ORIGIN, 'content-type': 'application/json' };
const MINUTE_MS = 60_000;

const post = (path: string, payload: object, headers: Record<string, string> = JSON_ORIGIN) =>
  heliograph.app.inject({ method: 'POST', url: `/admin/v1${path}`, headers, payload });
const getSession = (cookie: string) =>
  heliograph.app.inject({ method: 'GET', url: '/admin/v1/session', headers: { cookie } });

let accountId: string;
beforeAll(async () => {
  accountId = (await createTestAccount(heliograph.deps, { name: 'Seen' })).id;
  await createTestAccount(heliograph.deps, { name: 'Hidden' });
  await createOperator(heliograph.deps.prisma, {
    name: 'Ada',
    password: PASSWORD,
    grants: [{ role: 'developer', accountId }],
  });
});

describe('signing in by name and password', () => {
  it('creates a session that shows the operator and what they may see', async () => {
    const response = await post('/session', { name: 'ADA', password: PASSWORD });
    expect(response.json()).toEqual({ data: { state: 'signedIn' } });
    const [cookie] = response.cookies;
    expect(cookie).toMatchObject({ name: 'heliograph', path: '/', httpOnly: true, sameSite: 'Lax' });
    expect(cookie?.secure).toBeUndefined();
    const { data } = (await getSession(`heliograph=${cookie?.value}`)).json();
    expect(data).toMatchObject({
      operator: { name: 'ada' },
      grants: [{ role: 'developer', accountId }],
      accounts: [{ id: accountId, name: 'Seen', role: 'developer' }],
      moreAccounts: false,
    });
  });

  it('binds the cookie to the host if the browser uses https', async () => {
    const response = await post(
      '/session',
      { name: 'ada', password: PASSWORD },
      { ...JSON_ORIGIN, origin: 'https://localhost', host: 'localhost' },
    );
    expect(response.cookies).toMatchObject([{ name: '__Host-heliograph', secure: true, path: '/', httpOnly: true }]);
    expect((await getSession(`__Host-heliograph=${response.cookies[0]?.value}`)).statusCode).toBe(200);
  });

  it('returns the same error for an unknown name and a wrong password', async () => {
    const wrongPasswordResponse = await post('/session', { name: 'ada', password: 'correct horse batterx' });
    const unknownNameResponse = await post('/session', { name: 'bob', password: PASSWORD });
    expect(wrongPasswordResponse.statusCode).toBe(401);
    expect(unknownNameResponse.statusCode).toBe(401);
    expect(wrongPasswordResponse.json()).toEqual(unknownNameResponse.json());
    expect(wrongPasswordResponse.cookies).toEqual([]);
  });

  it('names the missing fields', async () => {
    const { statusCode, body } = await post('/session', {});
    expect(statusCode).toBe(400);
    expect(JSON.parse(body).error).toMatchObject({
      code: 'INVALID_REQUEST',
      details: [
        { field: 'name', message: 'is required' },
        { field: 'password', message: 'is required' },
      ],
    });
  });
});

describe('signing in by a link', () => {
  const createLinkToken = async () => (await createLinkByName(heliograph.deps.prisma, 'ada', clock.now())).token;

  it('works once, also when two requests use it concurrently', async () => {
    const token = await createLinkToken();
    const responses = await Promise.all([post('/session/link', { token }), post('/session/link', { token })]);
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
    expect((await post('/session/link', { token })).statusCode).toBe(401);
  });

  it('is refused when it has expired', async () => {
    const token = await createLinkToken();
    clock.advance(24 * 60 * MINUTE_MS);
    expect((await post('/session/link', { token })).statusCode).toBe(401);
  });
});

describe('a sign-in in a browser with another session', () => {
  const createLinkToken = async () => (await createLinkByName(heliograph.deps.prisma, 'ada', clock.now())).token;
  const signInByLink = async (headers: Record<string, string>) =>
    post('/session/link', { token: await createLinkToken(), instead: true }, headers);
  const signInByPassword = (headers: Record<string, string>) =>
    post('/session', { name: 'ada', password: PASSWORD }, headers);

  it.each([
    ['a link', signInByLink],
    ['a password', signInByPassword],
  ])('by %s ends that session, but no other session of its operator', async (_, signIn) => {
    const previousOperator = await createTestOperator(heliograph);
    const otherSession = await beginSession(heliograph.deps, previousOperator.id);
    const signInResponse = await signIn({ ...JSON_ORIGIN, cookie: previousOperator.headers.cookie });
    expect(signInResponse.json()).toEqual({ data: { state: 'signedIn' } });
    expect((await getSession(previousOperator.headers.cookie)).statusCode).toBe(401);
    expect((await getSession(`heliograph=${otherSession.token}`)).statusCode).toBe(200);
    const now = `heliograph=${signInResponse.cookies[0]?.value}`;
    expect((await getSession(now)).json().data.operator.name).toBe('ada');
    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { action: 'session.end', before: { path: ['operatorId'], equals: previousOperator.id } },
    });
    expect(auditEntries).toMatchObject([
      { actorName: 'ada', after: { replacedBy: (await getSession(now)).json().data.id } },
    ]);
    const repeatedResponse = await signIn({ ...JSON_ORIGIN, cookie: now });
    expect((await getSession(now)).statusCode).toBe(401);
    expect((await getSession(`heliograph=${repeatedResponse.cookies[0]?.value}`)).statusCode).toBe(200);
  });

  it('that fails or needs a confirmation ends no session', async () => {
    const previousOperator = await createTestOperator(heliograph);
    const headers = { ...JSON_ORIGIN, cookie: previousOperator.headers.cookie };
    expect((await post('/session', { name: 'ada', password: 'correct horse batterx' }, headers)).statusCode).toBe(401);
    const challenge = await post('/session/link', { token: await createLinkToken() }, headers);
    expect(challenge.json().data.state).toBe('otherSignedIn');
    expect((await getSession(previousOperator.headers.cookie)).statusCode).toBe(200);
  });
});

describe('a session', () => {
  it('is not kept alive by the automatic requests of an open page', async () => {
    const url = await heliograph.app.listen({ port: 0, host: '127.0.0.1' });
    const operator = await createTestOperator(heliograph);
    const { cookie } = operator.headers;
    const pollAutomatically = () =>
      heliograph.app.inject({ url: '/admin/v1/session', headers: { cookie, 'x-console-background': 'yes' } });
    const abort = new AbortController();
    const stream = await fetch(`${url}/admin/v1/live`, { headers: { cookie }, signal: abort.signal });
    expect(stream.status).toBe(200);
    for (let minutes = 0; minutes < 115; minutes += 23) {
      clock.advance(23 * MINUTE_MS);
      expect((await pollAutomatically()).statusCode).toBe(200);
    }
    clock.advance(6 * MINUTE_MS);
    expect((await pollAutomatically()).statusCode).toBe(401);
    await stream.text();
    abort.abort();
  });

  it('is kept alive by use, even with a limit of one minute', async () => {
    const strictApp = await testApp({
      sharesWith: heliograph,
      role: 'api',
      clock,
      settings: { CONSOLE_SESSION_IDLE_MINUTES: '1' },
    });
    try {
      const operator = await createTestOperator(strictApp);
      for (let count = 0; count < 6; count += 1) {
        clock.advance(50_000);
        expect((await operator.ask('GET', '/session')).statusCode).toBe(200);
      }
      clock.advance(30_000);
      expect((await operator.ask('GET', '/session')).statusCode).toBe(200);
      clock.advance(59_000);
      expect((await operator.ask('GET', '/session')).statusCode).toBe(200);
      clock.advance(61_000);
      expect((await operator.ask('GET', '/session')).statusCode).toBe(401);
    } finally {
      await strictApp.close();
    }
  });

  it('ends after two hours without use, and after a day in any case', async () => {
    const operator = await createTestOperator(heliograph);
    const status = async () => (await operator.ask('GET', '/session')).statusCode;
    for (let minutes = 0; minutes < 23 * 60; minutes += 115) {
      expect(await status()).toBe(200);
      clock.advance(115 * MINUTE_MS);
    }
    clock.advance(65 * MINUTE_MS);
    expect(await status()).toBe(401);

    const idleOperator = await createTestOperator(heliograph);
    clock.advance(121 * MINUTE_MS);
    expect((await idleOperator.ask('GET', '/session')).statusCode).toBe(401);
  });

  it('ends with the sign-out in this browser only', async () => {
    const operator = await createTestOperator(heliograph, { password: PASSWORD });
    const { cookies } = await post('/session', { name: operator.name, password: PASSWORD });
    const response = await operator.ask('DELETE', '/session');
    expect(response.json()).toEqual({ data: { done: true } });
    expect(response.headers['clear-site-data']).toBe('"cache", "storage"');
    expect(response.cookies).toMatchObject([{ name: 'heliograph', value: '', path: '/' }]);
    const refusal = await operator.ask('GET', '/session');
    expect(refusal.statusCode).toBe(401);
    expect(refusal.headers['www-authenticate']).toBe('Session realm="console"');
    expect((await getSession(`heliograph=${cookies[0]?.value}`)).statusCode).toBe(200);
  });

  it('ends when its operator is disabled', async () => {
    const operator = await createTestOperator(heliograph);
    await heliograph.deps.prisma.operator.update({ where: { id: operator.id }, data: { isActive: false } });
    expect((await operator.ask('GET', '/session')).statusCode).toBe(401);
  });
});

describe('requests that change something', () => {
  it.each([
    ['another origin', { origin: 'http://evil.example', 'content-type': 'application/json' }, 403],
    ['another port', { origin: 'http://localhost:8080', 'content-type': 'application/json' }, 403],
    ['no origin', { 'content-type': 'application/json' }, 403],
    ['an opaque origin', { origin: 'null', 'content-type': 'application/json' }, 403],
    ['a form', { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['text', { origin: ORIGIN, 'content-type': 'text/plain' }, 415],
    ['no Content-Type', { origin: ORIGIN }, 415],
  ])('are refused from %s', async (_what, headers, status) => {
    const { headers: ownHeaders, ask } = await createTestOperator(heliograph);
    const url = '/admin/v1/session';
    const refusal = await heliograph.app.inject({
      method: 'DELETE',
      url,
      headers: { cookie: ownHeaders.cookie, ...headers },
    });
    expect(refusal.statusCode).toBe(status);
    expect((await ask('GET', '/session')).statusCode).toBe(200);
  });
});
