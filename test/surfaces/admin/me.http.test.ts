import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { createLinkByName } from '../../../src/accounts/operators/sign-in/sign-in-links.js';
import { createTestOperator, ORIGIN, PASSWORD, suiteWithOwner } from '../../support/operators.js';

const { clock, heliograph, operator } = suiteWithOwner();
const MINUTE_MS = 60_000;

const post = (path: string, payload: object, remoteAddress = '127.0.0.1') =>
  heliograph.app.inject({
    method: 'POST',
    url: `/admin/v1${path}`,
    headers: { origin: ORIGIN, 'content-type': 'application/json' },
    payload,
    remoteAddress,
  });
const signIn = (password = PASSWORD, more: object = {}, address?: string) =>
  post('/session', { name: operator.name, password, ...more }, address);

describe("an operator's own sessions", () => {
  it('are listed and ended, one or all others', async () => {
    for (let count = 0; count < 3; count += 1) await signIn();
    const list = async () =>
      (await operator.ask('GET', '/session/all')).json().data as { id: string; isThis: boolean }[];
    const [first, ...rest] = (await list()).filter(({ isThis }) => !isThis);
    expect(rest).toHaveLength(2);
    expect((await operator.ask('DELETE', `/session/all/${first?.id}`)).statusCode).toBe(200);
    expect((await operator.ask('DELETE', `/session/all/${first?.id}`)).statusCode).toBe(404);
    expect((await operator.ask('DELETE', '/session/all')).json().data).toEqual({ ended: 2 });
    expect(await list()).toMatchObject([{ isThis: true }]);
  });

  it('do not include those of others', async () => {
    const other = await createTestOperator(heliograph);
    const [theirs] = (await other.ask('GET', '/session/all')).json().data;
    expect((await operator.ask('DELETE', `/session/all/${theirs.id}`)).statusCode).toBe(404);
    expect((await other.ask('GET', '/session')).statusCode).toBe(200);
  });
});

describe('the password', () => {
  it('is changed with the current one, which ends all other sessions', async () => {
    const { cookies } = await signIn();
    const change = (body: object) => operator.ask('PUT', '/session/password', body);
    const wrong = await change({ current: 'wrong horse battery', password: 'another horse battery' });
    expect(wrong.json().error.details).toEqual([{ field: 'current', message: 'is wrong' }]);
    const short = await change({ current: PASSWORD, password: 'short' });
    expect(short.json().error.details).toMatchObject([{ field: 'password' }]);
    const blank = await change({ current: PASSWORD, password: ' \u00a0\t\u2003'.repeat(4) });
    expect(blank.json().error.details).toEqual([{ field: 'password', message: 'must not consist of blanks only' }]);
    expect((await change({ current: PASSWORD, password: 'another horse battery' })).statusCode).toBe(200);
    const elsewhere = { cookie: `heliograph=${cookies[0]?.value}` };
    expect((await heliograph.app.inject({ url: '/admin/v1/session', headers: elsewhere })).statusCode).toBe(401);
    expect((await operator.ask('GET', '/session')).statusCode).toBe(200);
    expect((await signIn()).statusCode).toBe(401);
    expect((await signIn('another horse battery')).statusCode).toBe(200);
  });

  it("is hashed by Argon2id with OWASP's parameters", async () => {
    const { passwordHash } = await heliograph.deps.prisma.operator.findUniqueOrThrow({ where: { id: operator.id } });
    expect(passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });
});

describe('failed sign-ins', () => {
  it('are limited per name, from any address, until they expire', async () => {
    for (let count = 0; count < 10; count += 1) {
      expect((await signIn('wrong', {}, `192.0.2.${count}`)).statusCode).toBe(401);
    }
    const refused = await signIn(PASSWORD, {}, '192.0.2.99');
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(200);
    clock.advance(5 * MINUTE_MS);
    expect((await signIn(PASSWORD, {}, '192.0.2.99')).statusCode).toBe(200);
  });

  it('do not prevent using a link', async () => {
    for (let count = 0; count < 11; count += 1) await signIn('wrong', {}, `192.0.2.${count}`);
    const { token } = await createLinkByName(heliograph.deps.prisma, operator.name, clock.now());
    expect((await post('/session/link', { token })).json().data.state).toBe('signedIn');
  });

  it('are limited in the same way for unknown names', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await post('/session', { name: 'nobody', password: 'x' }, `192.0.2.${count}`)).statusCode);
    }
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  });

  it('are limited per address, and per IPv6 network', async () => {
    for (const address of ['198.51.100.7', '2001:db8:0:1::']) {
      for (let count = 0; count < 30; count += 1) {
        const from = address.endsWith('::') ? `${address}${count + 1}` : address;
        await post('/session', { name: `name-${count}`, password: 'x' }, from);
      }
      const from = address.endsWith('::') ? `${address}ffff` : address;
      expect((await signIn(PASSWORD, {}, from)).statusCode).toBe(429);
    }
    expect((await signIn(PASSWORD, {}, '2001:db8:0:2::1')).statusCode).toBe(200);
  });

  it('do not include successful ones', async () => {
    for (let count = 0; count < 12; count += 1) expect((await signIn()).statusCode).toBe(200);
  });

  it('are all counted when concurrent', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => signIn('wrong')));
    expect(answers.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10);
  });
});

describe('the second factor', () => {
  const codeOf = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
  const wrongCode = (secret: string) => String((Number(codeOf(secret)) + 1) % 1_000_000).padStart(6, '0');

  async function enrol(): Promise<{ secret: string; recoveryCodes: string[] }> {
    const { secret, uri } = (await operator.ask('POST', '/session/second-factor')).json().data;
    expect(uri).toContain(`otpauth://totp/Heliograph:${operator.name}?`);
    const code = codeOf(secret);
    const confirmed = await operator.ask('POST', '/session/second-factor/confirm', { code });
    clock.advance(30_000);
    return { secret, ...confirmed.json().data };
  }

  it('is not required before it is confirmed', async () => {
    const { secret } = (await operator.ask('POST', '/session/second-factor')).json().data;
    expect((await signIn()).json().data.state).toBe('signedIn');
    const wrong = await operator.ask('POST', '/session/second-factor/confirm', { code: wrongCode(secret) });
    expect(wrong.json().error.details).toMatchObject([{ field: 'code' }]);
    expect((await signIn()).json().data.state).toBe('signedIn');
  });

  it('is confirmed once by concurrent requests, and only the recovery codes of that request work', async () => {
    const { secret } = (await operator.ask('POST', '/session/second-factor')).json().data;
    const code = codeOf(secret);
    const confirm = () => operator.ask('POST', '/session/second-factor/confirm', { code });
    const answers = await Promise.all(Array.from({ length: 6 }, confirm));
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(5).fill(409)]);
    const [won] = answers.filter(({ statusCode }) => statusCode === 200).map((each) => each.json().data.recoveryCodes);
    expect((await signIn(PASSWORD, { code: won[0] })).json().data.state).toBe('signedIn');
  });

  it('is required at every sign-in, and accepts no code twice', async () => {
    const { secret } = await enrol();
    const asked = await signIn();
    expect(asked.json()).toEqual({ data: { state: 'codeNeeded' } });
    expect(asked.cookies).toEqual([]);
    expect((await signIn(PASSWORD, { code: wrongCode(secret) })).statusCode).toBe(400);
    expect((await signIn('wrong', { code: codeOf(secret) })).statusCode).toBe(401);
    const code = codeOf(secret);
    const answers = await Promise.all([signIn(PASSWORD, { code }), signIn(PASSWORD, { code })]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
    expect((await signIn(PASSWORD, { code })).statusCode).toBe(400);
    clock.advance(30_000);
    expect((await signIn(PASSWORD, { code: codeOf(secret) })).json().data.state).toBe('signedIn');
  });

  it('is required for a link too, which stays valid until the code is correct', async () => {
    const { secret } = await enrol();
    const { token } = await createLinkByName(heliograph.deps.prisma, operator.name, clock.now());
    expect((await post('/session/link', { token })).json().data.state).toBe('codeNeeded');
    expect((await post('/session/link', { token, code: wrongCode(secret) })).statusCode).toBe(400);
    expect((await post('/session/link', { token, code: codeOf(secret) })).json().data.state).toBe('signedIn');
  });

  it('has recovery codes that work once each and can be renewed', async () => {
    const { secret, recoveryCodes } = await enrol();
    expect(recoveryCodes).toHaveLength(10);
    const [code = '', second = ''] = recoveryCodes;
    const answers = await Promise.all([signIn(PASSWORD, { code }), signIn(PASSWORD, { code })]);
    expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
    expect((await operator.ask('GET', '/session')).json().data.operator).toMatchObject({
      hasSecondFactor: true,
      recoveryCodesLeft: 9,
    });
    const renewed = await operator.ask('POST', '/session/second-factor/recovery-codes', { code: codeOf(secret) });
    expect(renewed.json().data.recoveryCodes).toHaveLength(10);
    expect((await signIn(PASSWORD, { code: second })).statusCode).toBe(400);
    expect((await signIn(PASSWORD, { code: renewed.json().data.recoveryCodes[3].toUpperCase() })).statusCode).toBe(200);
  });

  it('is removed only with a code, and can be set up again', async () => {
    const { secret } = await enrol();
    expect((await operator.ask('POST', '/session/second-factor')).statusCode).toBe(409);
    const end = (code: string) => operator.ask('DELETE', '/session/second-factor', { code });
    expect((await end(wrongCode(secret))).statusCode).toBe(400);
    expect((await end(codeOf(secret))).statusCode).toBe(200);
    expect((await signIn()).json().data.state).toBe('signedIn');
    expect((await enrol()).secret).not.toBe(secret);
  });

  it('cannot be guessed faster than a password', async () => {
    const { secret } = await enrol();
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await signIn(PASSWORD, { code: wrongCode(secret) })).statusCode);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  it('leaves nothing secret in the audit log', async () => {
    const { secret, recoveryCodes } = await enrol();
    const lines = JSON.stringify(await heliograph.deps.prisma.auditLine.findMany());
    for (const each of [secret, ...recoveryCodes, PASSWORD]) expect(lines).not.toContain(each);
    expect(lines).toContain('second-factor.create');
  });
});
