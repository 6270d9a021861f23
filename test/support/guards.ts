import { type GuardInput, parseGuard, setGuard } from '../../src/features/spending/guards.js';
import type { Deps } from '../../src/process/startup/deps.js';
import { createTestAccount, type TestAccount, type TestAccountOptions } from './accounts.js';

/** An open guard with changes. Risky numbers are refused by default. */
export function guardWith(more: Partial<GuardInput>): GuardInput {
  return { allowed: [], refusesRisky: true, limits: [], watch: null, ...more };
}

export async function giveGuard(
  { prisma }: Pick<Deps, 'prisma'>,
  accountId: string,
  more: Partial<GuardInput>,
  keyId: string | null = null,
): Promise<void> {
  await setGuard(prisma, { accountId, keyId }, parseGuard(guardWith(more)));
}

export async function guardedAccount(
  deps: Pick<Deps, 'prisma'>,
  more: Partial<GuardInput>,
  options?: TestAccountOptions,
): Promise<TestAccount> {
  const account = await createTestAccount(deps, options);
  await giveGuard(deps, account.id, more);
  return account;
}

export const limit = (
  most: string,
  measure: 'messages' | 'money' = 'messages',
  span: 'hour' | 'day' | 'month' = 'day',
  scope: 'total' | 'recipient' | 'sender' = 'total',
) => ({ most, measure, span, scope });
