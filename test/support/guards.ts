import { type GuardInput, parseGuard, setGuard } from '../../src/features/spending/guards.js';
import type { Deps } from '../../src/process/startup/deps.js';
import { createTestAccount, type TestAccount, type TestAccountOptions } from './accounts.js';

/** Builds a guard that only refuses risky numbers, unless the overrides say otherwise. */
export function buildGuard(overrides: Partial<GuardInput>): GuardInput {
  return { allowed: [], refusesRisky: true, limits: [], watch: null, ...overrides };
}

export async function setTestGuard(
  { prisma }: Pick<Deps, 'prisma'>,
  accountId: string,
  overrides: Partial<GuardInput>,
  keyId: string | null = null,
): Promise<void> {
  await setGuard(prisma, { accountId, keyId }, parseGuard(buildGuard(overrides)));
}

export async function createGuardedAccount(
  deps: Pick<Deps, 'prisma'>,
  overrides: Partial<GuardInput>,
  options?: TestAccountOptions,
): Promise<TestAccount> {
  const account = await createTestAccount(deps, options);
  await setTestGuard(deps, account.id, overrides);
  return account;
}

export const buildLimit = (
  most: string,
  measure: 'messages' | 'money' = 'messages',
  span: 'hour' | 'day' | 'month' = 'day',
  scope: 'total' | 'recipient' | 'sender' = 'total',
) => ({ most, measure, span, scope });
