import { createAccount, creditAccount } from '../../src/accounts/accounts.js';
import { createAppKey } from '../../src/accounts/keys.js';
import type { PrismaClient } from '../../src/platform/generated/prisma/client.js';

export interface TestAccount {
  id: string;
  apiKey: string;
  /** For `app.inject`: `authorization` alone. */
  headers: { authorization: string };
}

export interface TestAccountOptions {
  name?: string;
  /** Starting credit in millionths of the currency unit, by default 100 USD. */
  creditMicros?: bigint;
  /** Default: `rest`. */
  scopes?: readonly string[];
}

export async function createTestAccount(
  { prisma }: { prisma: PrismaClient },
  { name = 'Test account', creditMicros = 100_000_000n, scopes = ['rest'] }: TestAccountOptions = {},
): Promise<TestAccount> {
  const { id } = await createAccount(prisma, { name });
  if (creditMicros > 0n) await creditAccount(prisma, { accountId: id, amountMicros: creditMicros });
  const { key } = await createAppKey(prisma, { accountId: id, name: 'Test app', scopes });
  return { id, apiKey: key, headers: { authorization: `Bearer ${key}` } };
}

export async function readBalance({ prisma }: { prisma: PrismaClient }, accountId: string): Promise<bigint> {
  const { balanceMicros } = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  return balanceMicros;
}
