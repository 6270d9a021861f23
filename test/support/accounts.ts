import { createAccount, creditAccount } from '../../src/accounts/accounts.js';
import { createAppKey } from '../../src/accounts/keys.js';
import type { PrismaClient } from '../../src/platform/generated/prisma/client.js';

/** An account that can send, with its Surface A key. */
export interface TestAccount {
  id: string;
  apiKey: string;
  /** For `app.inject`: `authorization` alone. */
  headers: { authorization: string };
}

export interface TestAccountOptions {
  name?: string;
  /** Millionths of the currency unit; 100 USD unless told. 0 gives none. */
  creditMicros?: bigint;
  /** `rest` unless told. */
  scopes?: readonly string[];
}

/** Makes an account as the command line does: with credit, on the standard rate card, and with one app. */
export async function createTestAccount(
  { prisma }: { prisma: PrismaClient },
  { name = 'Test account', creditMicros = 100_000_000n, scopes = ['rest'] }: TestAccountOptions = {},
): Promise<TestAccount> {
  const { id } = await createAccount(prisma, { name });
  if (creditMicros > 0n) await creditAccount(prisma, { accountId: id, amountMicros: creditMicros });
  const { key } = await createAppKey(prisma, { accountId: id, name: 'Test app', scopes });
  return { id, apiKey: key, headers: { authorization: `Bearer ${key}` } };
}

/** The balance of an account in millionths of its currency unit. */
export async function balanceOf({ prisma }: { prisma: PrismaClient }, accountId: string): Promise<bigint> {
  const { balanceMicros } = await prisma.account.findUniqueOrThrow({ where: { id: accountId } });
  return balanceMicros;
}
