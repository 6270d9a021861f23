import type { PrismaClient } from '../../../platform/generated/prisma/client.js';
import { checkOptOutLine } from './text-message.js';

type AccountTable = Pick<PrismaClient, 'account'>;

/** Finds the line that SMS campaigns of the account append by default. */
export async function findOptOutLine(prisma: AccountTable, accountId: string): Promise<string | null> {
  const account = await prisma.account.findUnique({ where: { id: accountId }, select: { optOutLine: true } });
  return account?.optOutLine ?? null;
}

/**
 * Does not change existing campaigns.
 * @throws {AppError} INVALID_REQUEST
 */
export async function setOptOutLine(prisma: AccountTable, accountId: string, optOutLine: string | null): Promise<void> {
  checkOptOutLine(optOutLine);
  await prisma.account.update({ where: { id: accountId }, data: { optOutLine } });
}
