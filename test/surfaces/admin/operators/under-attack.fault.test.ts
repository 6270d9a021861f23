import type { LightMyRequestResponse } from 'fastify';
import { Secret, TOTP } from 'otpauth';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyPassword } from '../../../../src/accounts/operators/sign-in/passwords.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { createTestOperator, ORIGIN, PASSWORD, type TestOperator } from '../../../support/operators.js';
import { atScale } from '../../../support/run/extent.js';
import { suiteApp } from '../../../support/suite.js';

const clock = new ManualClock();
const heliograph = suiteApp({ role: 'api', clock });
const OLD_PASSWORD = PASSWORD;
const NEW_PASSWORD = 'another horse battery';
const ROUNDS = [1, 2, 3].slice(0, atScale({ full: 3, quick: 1 }));
/** Number of the attacker's concurrent requests, lower than the number of failures allowed for a name. */
const LANES = 3;

let owner: TestOperator;
// Earlier failures must no longer count, and a new owner needs no confirmation because they have just signed in.
beforeEach(async () => {
  clock.advance(6 * 60_000);
  owner = await createTestOperator(heliograph);
});

interface Attack {
  /** Resolves after several successes, when requests are at every stage of processing. */
  underWay: Promise<void>;
  /** Resolves once every lane has been refused and no request is running. */
  over: Promise<void>;
}

/**
 * Repeats a request in several concurrent lanes until it is refused. A 400 does not count as a refusal, because one of two
 * concurrent requests may get it.
 */
function startAttack(request: () => Promise<LightMyRequestResponse>): Attack {
  let succeeded = 0;
  const repeatUntilRefused = async (onSuccess: () => void) => {
    for (;;) {
      const { statusCode, body } = await request();
      if (statusCode === 200) succeeded += 1;
      if (succeeded >= 2 * LANES) onSuccess();
      if (statusCode === 200 || statusCode === 400) continue;
      if (succeeded < 2 * LANES) throw new Error(`it never began: ${statusCode} ${body}`);
      return;
    }
  };
  let over = Promise.resolve();
  const underWay = new Promise<void>((resolve, reject) => {
    over = Promise.all(Array.from({ length: LANES }, () => repeatUntilRefused(resolve))).then(() => undefined);
    over.catch(reject);
  });
  return { underWay, over };
}

const post = (path: string, payload: object) =>
  heliograph.app.inject({
    method: 'POST',
    url: `/admin/v1${path}`,
    headers: { origin: ORIGIN, 'content-type': 'application/json' },
    payload,
  });

async function readCredentials({ id }: TestOperator) {
  const { sessions, ...row } = await heliograph.deps.prisma.operator.findUniqueOrThrow({
    where: { id },
    include: { sessions: true },
  });
  return {
    sessions: sessions.length,
    oldIsGood: await verifyPassword(row.passwordHash, OLD_PASSWORD),
    hash: row.passwordHash,
  };
}

async function resetByCommand({ id }: TestOperator): Promise<string> {
  const response = await owner.ask('POST', `/operators/${id}/reset`);
  expect(response.statusCode).toBe(200);
  return response.json().data.url.split('#token=')[1];
}

/** Ways in which someone who knows the password or has a session may try to keep access. */
const ATTACKS: Record<string, (victim: TestOperator) => () => Promise<LightMyRequestResponse>> = {
  'sets the old password again': (victim) => () =>
    victim.ask('PUT', '/session/password', { current: OLD_PASSWORD, password: OLD_PASSWORD }),
  'signs in with the old password': (victim) => () => post('/session', { name: victim.name, password: OLD_PASSWORD }),
};

describe.each(Object.entries(ATTACKS))(
  'a reset ends the old password and its sessions while somebody %s',
  (_, makeRequest) => {
    it.each(ROUNDS)('(round %i)', async () => {
      const victim = await createTestOperator(heliograph, { password: OLD_PASSWORD });
      const { underWay, over } = startAttack(makeRequest(victim));
      await underWay;
      const token = await resetByCommand(victim);
      await over;
      expect(await readCredentials(victim)).toEqual({ sessions: 0, oldIsGood: false, hash: null });
      expect((await post('/session/link', { token })).statusCode).toBe(200);
    });
  },
);

describe('a reset ends the first password of an operator who is just setting one', () => {
  it.each(ROUNDS)('(round %i)', async () => {
    const victim = await createTestOperator(heliograph);
    const attempts = Array.from({ length: LANES }, () =>
      victim.ask('PUT', '/session/password', { password: OLD_PASSWORD }),
    );
    await resetByCommand(victim);
    await Promise.all(attempts);
    expect(await readCredentials(victim)).toEqual({ sessions: 0, oldIsGood: false, hash: null });
  });
});

describe("an operator's new password ends the sessions of the old one during a concurrent sign-in", () => {
  it.each(ROUNDS)('(round %i)', async () => {
    const victim = await createTestOperator(heliograph, { password: OLD_PASSWORD });
    const { underWay, over } = startAttack(() => post('/session', { name: victim.name, password: OLD_PASSWORD }));
    await underWay;
    const changeResponse = await victim.ask('PUT', '/session/password', {
      current: OLD_PASSWORD,
      password: NEW_PASSWORD,
    });
    expect(changeResponse.statusCode).toBe(200);
    await over;
    expect(await readCredentials(victim)).toMatchObject({ sessions: 1, oldIsGood: false });
    expect((await victim.ask('GET', '/session')).statusCode).toBe(200);
  });
});

describe('disabling an operator lets in no concurrent sign-in', () => {
  it.each(ROUNDS)('(round %i)', async () => {
    const victim = await createTestOperator(heliograph, { password: OLD_PASSWORD });
    const { underWay, over } = startAttack(() => post('/session', { name: victim.name, password: OLD_PASSWORD }));
    await underWay;
    await owner.ask('PUT', `/operators/${victim.id}/active`, { isActive: false });
    await over;
    expect(await readCredentials(victim)).toMatchObject({ sessions: 0 });
  });
});

describe('an owner who was reset can no longer create operators', () => {
  it.each(ROUNDS)('(round %i)', async (round) => {
    const victim = await createTestOperator(heliograph, { password: OLD_PASSWORD });
    let count = 0;
    const { underWay, over } = startAttack(() => {
      count += 1;
      const grants = [{ role: 'owner', accountId: null }];
      return victim.ask('POST', '/operators', { name: `kept-${round}-${count}`, grants });
    });
    await underWay;
    await resetByCommand(victim);
    await over;
    const auditEntries = await heliograph.deps.prisma.auditLine.findMany({
      where: { OR: [{ subject: victim.id, action: 'operator.reset' }, { actorId: victim.id }] },
      orderBy: { id: 'asc' },
    });
    expect(auditEntries.length).toBeGreaterThan(2 * LANES);
    expect(auditEntries.at(-1)?.action).toBe('operator.reset');
  });
});

it('one of two owners who reset each other concurrently stays signed in, and the other needs a link', async () => {
  const owners = [await createTestOperator(heliograph), await createTestOperator(heliograph)] as const;
  const [firstOwner, secondOwner] = owners;
  const responses = await Promise.all([
    firstOwner.ask('POST', `/operators/${secondOwner.id}/reset`),
    secondOwner.ask('POST', `/operators/${firstOwner.id}/reset`),
  ]);
  expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 401]);
  const sessions = await Promise.all(owners.map(async (owner) => (await readCredentials(owner)).sessions));
  expect(sessions.sort()).toEqual([0, 1]);
});

it('one of two concurrent changes of the same password succeeds, and the other reports a wrong password', async () => {
  const victim = await createTestOperator(heliograph, { password: OLD_PASSWORD });
  const responses = await Promise.all(
    [NEW_PASSWORD, `${NEW_PASSWORD} too`].map((password) =>
      victim.ask('PUT', '/session/password', { current: OLD_PASSWORD, password }),
    ),
  );
  expect(responses.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400]);
  const refusal = responses.find(({ statusCode }) => statusCode === 400);
  expect(refusal?.json().error.details).toEqual([{ field: 'current', message: 'is wrong' }]);
});

describe('an unused link becomes invalid after', () => {
  const totpCode = (secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
  const setUpSecondFactor = async (victim: TestOperator) => {
    const { secret } = (await victim.ask('POST', '/session/second-factor')).json().data;
    const confirmResponse = await victim.ask('POST', '/session/second-factor/confirm', { code: totpCode(secret) });
    expect(confirmResponse.statusCode).toBe(200);
    clock.advance(30_000);
    return secret as string;
  };
  const grants = (role: string) => ({ grants: [{ role, accountId: null }] });

  it.each<[string, (victim: TestOperator, secret: string) => Promise<LightMyRequestResponse>]>([
    [
      'a new password',
      (victim) => victim.ask('PUT', '/session/password', { current: OLD_PASSWORD, password: NEW_PASSWORD }),
    ],
    [
      'new recovery codes',
      (victim, secret) => victim.ask('POST', '/session/second-factor/recovery-codes', { code: totpCode(secret) }),
    ],
    [
      'the removal of the second factor',
      (victim, secret) => victim.ask('DELETE', '/session/second-factor', { code: totpCode(secret) }),
    ],
    ['another role', ({ id }) => owner.ask('PUT', `/operators/${id}/grants`, grants('viewer'))],
    ['a reset', ({ id }) => owner.ask('POST', `/operators/${id}/reset`)],
    [
      'disabling and enabling the operator',
      async ({ id }) => {
        await owner.ask('PUT', `/operators/${id}/active`, { isActive: false });
        return owner.ask('PUT', `/operators/${id}/active`, { isActive: true });
      },
    ],
  ])('%s', async (_what, change) => {
    const victim = await createTestOperator(heliograph, { password: OLD_PASSWORD });
    const secret = await setUpSecondFactor(victim);
    const { url } = (await owner.ask('POST', `/operators/${victim.id}/link`)).json().data;
    const followLink = () => post('/session/link', { token: url.split('#token=')[1] });
    expect((await followLink()).json().data.state).toBe('codeNeeded');
    expect((await change(victim, secret)).statusCode).toBe(200);
    expect((await followLink()).statusCode).toBe(401);
  });

  it('a second factor', async () => {
    const victim = await createTestOperator(heliograph);
    const { url } = (await owner.ask('POST', `/operators/${victim.id}/link`)).json().data;
    await setUpSecondFactor(victim);
    expect((await post('/session/link', { token: url.split('#token=')[1] })).statusCode).toBe(401);
  });
});
