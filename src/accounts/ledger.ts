import type { LedgerEntry, PrismaClient } from '../platform/generated/prisma/client.js';
import { requireAccount } from './accounts.js';

/**
 * The lines of an account's ledger, the newest first, page by page.
 * @param page.before only lines older than the one with this id; null: from the newest
 * @returns the lines, and the id to go on from; null on the last page
 * @throws {AppError} NOT_FOUND for an unknown account
 */
export async function listLedger(
  prisma: Pick<PrismaClient, 'account' | 'ledgerEntry'>,
  accountId: string,
  { limit, before, kind }: { limit: number; before: string | null; kind?: LedgerEntry['kind'] },
): Promise<{ entries: LedgerEntry[]; next: string | null }> {
  await requireAccount(prisma, accountId);
  const found = await prisma.ledgerEntry.findMany({
    where: { accountId, kind, ...(before !== null && { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const entries = found.slice(0, limit);
  return { entries, next: found.length > limit ? (entries.at(-1)?.id ?? null) : null };
}
