import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { createTestAccount } from '../../../support/accounts.js';
import { createTestOperator, PASSWORD, suiteWithOwner } from '../../../support/operators.js';

const { clock, heliograph, operator } = suiteWithOwner();
const MINUTE_MS = 60_000;

interface Operation {
  operationId: string;
  description: string;
  requestBody?: object;
}

/** Changes to sessions and operators that need no confirmation, each with the reason. */
const WITHOUT_CONFIRMATION: Record<string, string> = {
  consoleSignIn: 'it is the proof',
  consoleSignInByLink: 'it is the proof',
  consoleBeginOidc: 'it leads to a proof',
  consoleConfirm: 'it is the proof',
  consoleSignOut: 'it gives nothing',
  consoleEndOwnSession: 'it gives nothing',
  consoleEndOtherSessions: 'it gives nothing',
  consoleChangeOwnPassword: 'it asks for the password; who has none is tested below',
  consoleConfirmSecondFactor: 'it ends what consoleBeginSecondFactor began, by a code',
  consoleRenewRecoveryCodes: 'it asks for a code',
  consoleEndSecondFactor: 'it asks for a code',
};

describe('changes to who can sign in', () => {
  it('require a confirmation after ten minutes, in every operation', async () => {
    const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as {
      paths: Record<string, Record<string, Operation>>;
    };
    const { id: accountId } = await createTestAccount(heliograph.deps);
    const changingOperations = Object.entries(paths)
      .filter(([path]) => /^\/admin\/v1\/(session|operators|accounts\/\{accountId\}\/operators)(\/|$)/.test(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
      )
      .filter(({ method, operationId }) => method !== 'get' && !(operationId in WITHOUT_CONFIRMATION));
    expect(changingOperations.length).toBeGreaterThan(10);
    const listResponses = async () => {
      const codes: string[] = [];
      for (const { path, method, requestBody } of changingOperations) {
        const url = path
          .replace('/admin/v1', '')
          .replace('{accountId}', accountId)
          .replace(/\{\w+\}/g, operator.id);
        const response = await operator.ask(method.toUpperCase() as 'POST', url, requestBody ? {} : undefined);
        codes.push(`${method} ${path}: ${response.statusCode} ${response.json().error?.code ?? ''}`);
      }
      return codes;
    };
    clock.advance(10 * MINUTE_MS);
    expect((await listResponses()).filter((response) => !response.endsWith('403 CONFIRMATION_NEEDED'))).toEqual([]);
    expect(changingOperations.filter(({ description }) => !description.includes('CONFIRMATION_NEEDED'))).toEqual([]);
  });

  it('are allowed for ten minutes after the password was confirmed, which is audited', async () => {
    const createOperator = (role: string) => operator.ask('POST', '/operators', { name: `new-${role}`, grants: [] });
    clock.advance(10 * MINUTE_MS);
    expect((await createOperator('a')).statusCode).toBe(403);
    const confirmResponse = await operator.ask('POST', '/session/confirm', { password: PASSWORD });
    expect(confirmResponse.json().data.confirmedUntil).toBe(
      new Date(clock.now().getTime() + 10 * MINUTE_MS).toISOString(),
    );
    // The request is refused only because of its invalid body.
    expect((await createOperator('a')).statusCode).toBe(400);
    clock.advance(10 * MINUTE_MS);
    expect((await createOperator('a')).statusCode).toBe(403);
    const where = { actorId: operator.id, action: 'session.confirm' };
    expect(await heliograph.deps.prisma.auditLine.count({ where })).toBe(1);
  });

  it('are not allowed after a wrong password, which counts as a failed sign-in', async () => {
    clock.advance(10 * MINUTE_MS);
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1) {
      statuses.push((await operator.ask('POST', '/session/confirm', { password: 'wrong horse battery' })).statusCode);
    }
    expect(statuses).toEqual([...Array(10).fill(400), 429]);
    expect((await operator.ask('POST', '/operators', { name: 'x', grants: [] })).statusCode).toBe(403);
    const operatorWithoutPassword = await createTestOperator(heliograph);
    const refusal = await operatorWithoutPassword.ask('POST', '/session/confirm', { password: PASSWORD });
    expect(refusal.json().error.details).toMatchObject([{ field: 'password' }]);
  });

  it('require a code from operators without a password, and a new sign-in from those with neither', async () => {
    const newOperator = await createTestOperator(heliograph);
    const getConfirmBy = async () => (await newOperator.ask('GET', '/session')).json().data.operator.confirmBy;
    expect(await getConfirmBy()).toBeNull();
    const { secret } = (await newOperator.ask('POST', '/session/second-factor')).json().data;
    const code = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });
    await newOperator.ask('POST', '/session/second-factor/confirm', { code: code() });
    expect(await getConfirmBy()).toBe('code');
    clock.advance(10 * MINUTE_MS);
    const setPassword = () => newOperator.ask('PUT', '/session/password', { password: PASSWORD });
    expect((await setPassword()).json().error.code).toBe('CONFIRMATION_NEEDED');
    expect((await newOperator.ask('POST', '/session/confirm', { code: code() })).statusCode).toBe(200);
    expect((await setPassword()).statusCode).toBe(200);
    expect(await getConfirmBy()).toBe('password');
  });
});
