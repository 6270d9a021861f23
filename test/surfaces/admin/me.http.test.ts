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
const signIn = (password = PASSWORD, overrides: object = {}, address?: string) =>
  post('/session', { name: operator.name, password, ...overrides }, address);

describe("an operator's own sessions", () => {
  it('are listed, and one or all others can be ended', async () => {
    for (let count = 0; count < 3; count += 1) await signIn();
    const listSessions = async () =>
      (await operator.ask('GET', '/session/all')).json().data as { id: string; isThis: boolean }[];
    const [firstSession, ...otherSessions] = (await listSessions()).filter(({ isThis }) => !isThis);
    expect(otherSessions).toHaveLength(2);
    expect((await operator.ask('DELETE', `/session/all/${firstSession?.id}`)).statusCode).toBe(200);
    expect((await operator.ask('DELETE', `/session/all/${firstSession?.id}`)).statusCode).toBe(404);
    expect((await operator.ask('DELETE', '/session/all')).json().data).toEqual({ ended: 2 });
    expect(await listSessions()).toMatchObject([{ isThis: true }]);
  });

  it('do not include sessions of other operators', async () => {
    const otherOperator = await createTestOperator(heliograph);
    const [otherSession] = (await otherOperator.ask('GET', '/session/all')).json().data;
    expect((await operator.ask('DELETE', `/session/all/${otherSession.id}`)).statusCode).toBe(404);
    expect((await otherOperator.ask('GET', '/session')).statusCode).toBe(200);
  });
});

describe('the password', () => {
  it('is changed with the current one, which ends all other sessions', async () => {
    const { cookies } = await signIn();
    const changePassword = (body: object) => operator.ask('PUT', '/session/password', body);
    const wrongPasswordResponse = await changePassword({
      current: 'wrong horse battery',
      password: 'another horse battery',
    });
    expect(wrongPasswordResponse.json().error.details).toEqual([{ field: 'current', message: 'is wrong' }]);
    const shortPasswordResponse = await changePassword({ current: PASSWORD, password: 'short' });
    expect(shortPasswordResponse.json().error.details).toMatchObject([{ field: 'password' }]);
    const blankPasswordResponse = await changePassword({ current: PASSWORD, password: ' \u00a0\t\u2003'.repeat(4) });
    expect(blankPasswordResponse.json().error.details).toEqual([
      { field: 'password', message: 'must not consist of blanks only' },
    ]);
    expect((await changePassword({ current: PASSWORD, password: 'another horse battery' })).statusCode).toBe(200);
    const otherSession = { cookie: `heliograph=${cookies[0]?.value}` };
    expect((await heliograph.app.inject({ url: '/admin/v1/session', headers: otherSession })).statusCode).toBe(401);
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
    const refusal = await signIn(PASSWORD, {}, '192.0.2.99');
    expect(refusal.statusCode).toBe(429);
    expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(200);
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
        const remoteAddress = address.endsWith('::') ? `${address}${count + 1}` : address;
        await post('/session', { name: `name-${count}`, password: 'x' }, remoteAddress);
      }
      const blockedAddress = address.endsWith('::') ? `${address}ffff` : address;
      expect((await signIn(PASSWORD, {}, blockedAddress)).statusCode).toBe(429);
    }
    expect((await signIn(PASSWORD, {}, '2001:db8:0:2::1')).statusCode).toBe(200);
  });

  it('do not include successful sign-ins', async () => {
    for (let count = 0; count < 12; count += 1) expect((await signIn()).statusCode).toBe(200);
  });

  it('are all counted when they are concurrent', async () => {
    const responses = await Promise.all(Array.from({ length: 14 }, () => signIn('wrong')));
    expect(responses.filter(({ statusCode }) => statusCode === 401)).toHaveLength(10);
  });
});

describe('the second factor', () => {
  const totpCode = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
  const wrongCode = (secret: string) => String((Number(totpCode(secret)) + 1) % 1_000_000).padStart(6, '0');

  async function setUpSecondFactor(): Promise<{ secret: string; recoveryCodes: string[] }> {
    const { secret, uri } = (await operator.ask('POST', '/session/second-factor')).json().data;
    expect(uri).toContain(`otpauth://totp/Heliograph:${operator.name}?`);
    const code = totpCode(secret);
    const confirmResponse = await operator.ask('POST', '/session/second-factor/confirm', { code });
    clock.advance(30_000);
    return { secret, ...confirmResponse.json().data };
  }

  it('is not required before it is confirmed', async () => {
    const { secret } = (await operator.ask('POST', '/session/second-factor')).json().data;
    expect((await signIn()).json().data.state).toBe('signedIn');
    const wrongCodeResponse = await operator.ask('POST', '/session/second-factor/confirm', { code: wrongCode(secret) });
    expect(wrongCodeResponse.json().error.details).toMatchObject([{ field: 'code' }]);
    expect((await signIn()).json().data.state).toBe('signedIn');
  });

  it('is confirmed once by concurrent requests, and only the recovery codes of that request work', async () => {
    const { secret } = (await operator.ask('POST', '/session/second-factor')).json().data;
    const code = totpCode(secret);
    const confirm = () => operator.ask('POST', '/session/second-factor/confirm', { code });
    const responses = await Promise.all(Array.from({ length: 6 }, confirm));
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...Array(5).fill(409)]);
    const [validCodes] = responses
      .filter(({ statusCode }) => statusCode === 200)
      .map((response) => response.json().data.recoveryCodes);
    expect((await signIn(PASSWORD, { code: validCodes[0] })).json().data.state).toBe('signedIn');
  });

  it('is required at every sign-in, and accepts no code twice', async () => {
    const { secret } = await setUpSecondFactor();
    const challenge = await signIn();
    expect(challenge.json()).toEqual({ data: { state: 'codeNeeded' } });
    expect(challenge.cookies).toEqual([]);
    expect((await signIn(PASSWORD, { code: wrongCode(secret) })).statusCode).toBe(400);
    expect((await signIn('wrong', { code: totpCode(secret) })).statusCode).toBe(401);
    const code = totpCode(secret);
    const responses = await Promise.all([signIn(PASSWORD, { code }), signIn(PASSWORD, { code })]);
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
    expect((await signIn(PASSWORD, { code })).statusCode).toBe(400);
    clock.advance(30_000);
    expect((await signIn(PASSWORD, { code: totpCode(secret) })).json().data.state).toBe('signedIn');
  });

  it('is required for a link too, which stays valid until the code is correct', async () => {
    const { secret } = await setUpSecondFactor();
    const { token } = await createLinkByName(heliograph.deps.prisma, operator.name, clock.now());
    expect((await post('/session/link', { token })).json().data.state).toBe('codeNeeded');
    expect((await post('/session/link', { token, code: wrongCode(secret) })).statusCode).toBe(400);
    expect((await post('/session/link', { token, code: totpCode(secret) })).json().data.state).toBe('signedIn');
  });

  it('has recovery codes that work once each and can be renewed', async () => {
    const { secret, recoveryCodes } = await setUpSecondFactor();
    expect(recoveryCodes).toHaveLength(10);
    const [code = '', secondCode = ''] = recoveryCodes;
    const responses = await Promise.all([signIn(PASSWORD, { code }), signIn(PASSWORD, { code })]);
    expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
    expect((await operator.ask('GET', '/session')).json().data.operator).toMatchObject({
      hasSecondFactor: true,
      recoveryCodesLeft: 9,
    });
    const renewResponse = await operator.ask('POST', '/session/second-factor/recovery-codes', {
      code: totpCode(secret),
    });
    expect(renewResponse.json().data.recoveryCodes).toHaveLength(10);
    expect((await signIn(PASSWORD, { code: secondCode })).statusCode).toBe(400);
    expect(
      (await signIn(PASSWORD, { code: renewResponse.json().data.recoveryCodes[3].toUpperCase() })).statusCode,
    ).toBe(200);
  });

  it('is removed only with a code, and can be set up again', async () => {
    const { secret } = await setUpSecondFactor();
    expect((await operator.ask('POST', '/session/second-factor')).statusCode).toBe(409);
    const removeSecondFactor = (code: string) => operator.ask('DELETE', '/session/second-factor', { code });
    expect((await removeSecondFactor(wrongCode(secret))).statusCode).toBe(400);
    expect((await removeSecondFactor(totpCode(secret))).statusCode).toBe(200);
    expect((await signIn()).json().data.state).toBe('signedIn');
    expect((await setUpSecondFactor()).secret).not.toBe(secret);
  });

  it('cannot be guessed faster than a password', async () => {
    const { secret } = await setUpSecondFactor();
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await signIn(PASSWORD, { code: wrongCode(secret) })).statusCode);
    }
    expect(statuses.at(-1)).toBe(429);
  });

  it('leaves nothing secret in the audit log', async () => {
    const { secret, recoveryCodes } = await setUpSecondFactor();
    const auditEntries = JSON.stringify(await heliograph.deps.prisma.auditLine.findMany());
    for (const secretText of [secret, ...recoveryCodes, PASSWORD]) expect(auditEntries).not.toContain(secretText);
    expect(auditEntries).toContain('second-factor.create');
  });
});
