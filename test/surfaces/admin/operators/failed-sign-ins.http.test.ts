import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLinkByName } from '../../../../src/accounts/operators/sign-in/sign-in-links.js';
import { createTestOperator, ORIGIN, PASSWORD, suiteWithOwner } from '../../../support/operators.js';

const logEntries: Record<string, unknown>[] = [];
/** Lists only log entries about sign-ins, because the server may log other events in between. */
const listSignInLogs = () => logEntries.filter(({ way }) => way !== undefined);
const log = pino({ level: 'warn' }, { write: (line: string) => logEntries.push(JSON.parse(line)) });
const { clock, heliograph, operator } = suiteWithOwner({ log });
beforeEach(() => {
  logEntries.length = 0;
});

const post = (path: string, payload: object, remoteAddress: string, cookie?: string) =>
  heliograph.app.inject({
    method: 'POST',
    url: `/admin/v1${path}`,
    headers: { origin: ORIGIN, 'content-type': 'application/json', ...(cookie && { cookie }) },
    payload,
    remoteAddress,
  });
const rows = async () => (await heliograph.deps.prisma.signInAttempt.findMany()).length;
const listAuditEntries = async () => {
  await heliograph.deps.failedSignIns.waitForWrites();
  return heliograph.deps.prisma.auditLine.findMany({ where: { subject: operator.id, action: 'session.refuse' } });
};
const readFailureCount = async (reason: string) => {
  const [metric] = heliograph.deps.failedSignIns.metrics();
  const samples = (await metric?.read()) as { labels?: Record<string, string>; value: number }[];
  return samples.find(({ labels }) => labels?.wrong === reason)?.value ?? 0;
};

describe('a failed sign-in', () => {
  it('is recorded in the log, the audit log and a metric, without what was typed', async () => {
    const countBefore = await readFailureCount('password');
    await post('/session', { name: operator.name, password: 'wrong horse battery' }, '192.0.2.1');
    await post('/session', { name: 'my-secret-passphrase', password: PASSWORD }, '192.0.2.1');
    expect(await listAuditEntries()).toMatchObject([
      {
        actorKind: 'system',
        accountId: null,
        after: { name: operator.name, way: 'password', wrong: 'password', address: '192.0.2.1' },
      },
    ]);
    expect(await readFailureCount('password')).toBe(countBefore + 2);
    expect(listSignInLogs()).toMatchObject([
      { way: 'password', wrong: 'password', address: '192.0.2.1' },
      { way: 'password', wrong: 'password', address: '192.0.2.1' },
    ]);
    expect(JSON.stringify(logEntries)).not.toMatch(/passphrase|horse/);
  });

  it('is no longer logged or audited after too many attempts', async () => {
    for (let count = 0; count < 40; count += 1) {
      await post('/session', { name: operator.name, password: 'wrong horse battery' }, '192.0.2.2');
    }
    expect(await listAuditEntries()).toHaveLength(10);
    expect(listSignInLogs()).toHaveLength(10);
    expect(await readFailureCount('too_many')).toBeGreaterThanOrEqual(30);
  });

  it('by OpenID Connect redirects to the sign-in page, even with a malformed URL', async () => {
    for (const query of ['state=%ff', 'state=%', 'code=x&state=__proto__', '']) {
      const response = await heliograph.app.inject({ url: `/admin/v1/session/oidc/callback?${query}` });
      expect(response.statusCode, query).toBe(303);
      expect(response.headers.location).toBe('/console/sign-in?problem=expired');
    }
    expect(logEntries.filter(({ level }) => (level as number) > 40)).toEqual([]);
  });

  it('from a blocked address blocks nobody else and adds no rows', async () => {
    for (let count = 0; count < 31; count += 1)
      await post('/session', { name: `nobody-${count}`, password: 'x' }, '192.0.2.3');
    const rowsBefore = await rows();
    for (let count = 0; count < 12; count += 1) {
      expect((await post('/session', { name: operator.name, password: 'x' }, '192.0.2.3')).statusCode).toBe(429);
    }
    expect(await rows()).toBe(rowsBefore);
    expect((await post('/session', { name: operator.name, password: PASSWORD }, '192.0.2.4')).statusCode).toBe(200);
  });
});

describe('a sign-in link in a browser with another session', () => {
  const getSession = async (cookie: string) =>
    (await heliograph.app.inject({ url: '/admin/v1/session', headers: { cookie } })).json().data.operator.name;

  it('does not replace the session without a confirmation, and stays valid', async () => {
    const otherOperator = await createTestOperator(heliograph);
    const { token } = await createLinkByName(heliograph.deps.prisma, otherOperator.name, clock.now());
    const challenge = await post('/session/link', { token }, '192.0.2.5', operator.headers.cookie);
    expect(challenge.json().data).toEqual({
      state: 'otherSignedIn',
      others: { current: operator.name, ofLink: otherOperator.name },
    });
    expect(challenge.cookies).toEqual([]);
    const replaceResponse = await post('/session/link', { token, instead: true }, '192.0.2.5', operator.headers.cookie);
    expect(replaceResponse.json().data).toEqual({ state: 'signedIn' });
    expect(await getSession(`heliograph=${replaceResponse.cookies[0]?.value}`)).toBe(otherOperator.name);
  });

  it('needs no confirmation for the same operator or after the session has ended', async () => {
    for (const endsSession of [false, true]) {
      const { token } = await createLinkByName(heliograph.deps.prisma, operator.name, clock.now());
      if (endsSession) await operator.ask('DELETE', '/session');
      const response = await post('/session/link', { token }, '192.0.2.6', operator.headers.cookie);
      expect(response.json().data).toEqual({ state: 'signedIn' });
    }
  });
});
