import { beforeEach, expect, it, vi } from 'vitest';
import { ManualClock } from '../../support/manual-clock.js';

const argon2 = vi.hoisted(() => ({ calls: 0, hashed: [] as string[] }));
vi.mock('@node-rs/argon2', () => ({
  hash: async (password: string) => {
    argon2.calls += 1;
    argon2.hashed.push(password);
    return 'new hash';
  },
  verify: async (_hash: string, password: string) => {
    argon2.calls += 1;
    return password === 'the right password';
  },
}));
// An earlier test file in this Vitest worker may have loaded these modules with the real library instead of the mock.
vi.resetModules();
const { checkOwnPassword } = await import('../../../src/accounts/operators/sign-in/own-password.js');

const clock = new ManualClock();
const createStore = (attempts: number, passwordHash: string | null = 'hash') =>
  ({
    operator: { findUniqueOrThrow: async () => ({ name: 'Ada', passwordHash }) },
    $queryRaw: async () => [{ attempts, endsAt: new Date(clock.now().getTime() + 60_000) }],
    $executeRaw: async () => 1,
  }) as never;
const checkChange = (
  attempts: number,
  { current = 'the right password', password = 'a new password', passwordHash = 'hash' as string | null } = {},
  mayStart: () => void = () => undefined,
) =>
  checkOwnPassword(
    { prisma: createStore(attempts, passwordHash), clock },
    { operatorId: 'x', address: '127.0.0.1', current, password },
    mayStart,
  );

beforeEach(() => {
  argon2.calls = 0;
  argon2.hashed = [];
});

it('a password change hashes nothing after too many attempts', async () => {
  await expect(checkChange(31)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(argon2.calls).toBe(0);
});

it('a password change does not hash the new password if the current one is wrong', async () => {
  await expect(checkChange(1, { current: 'wrong' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect(argon2.hashed).not.toContain('a new password');
});

it('a password change hashes nothing if the new password breaks a rule', async () => {
  await expect(checkChange(1, { password: 'short' })).rejects.toMatchObject({ fields: [{ field: 'password' }] });
  expect(argon2.calls).toBe(0);
});

it('setting a first password hashes nothing until the operator has confirmed their identity', async () => {
  const refuse = () => {
    throw new Error('confirm first');
  };
  await expect(checkChange(1, { passwordHash: null }, refuse)).rejects.toThrow('confirm first');
  expect(argon2.calls).toBe(0);
});

it('a password change hashes the new password if the current one is right', async () => {
  await expect(checkChange(1)).resolves.toEqual({ before: 'hash', passwordHash: 'new hash' });
});
