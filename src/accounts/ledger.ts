import type { LedgerEntry, PrismaClient } from '../platform/generated/prisma/client.js';
import { requireAccount } from './accounts.js';

/**
 * Lists ledger entries that are older than the entry with the ID `before`, newest first. `next` is the value of `before` for
 * the next page, or null on the last page.
 * @throws {AppError} NOT_FOUND
 */
export async function listLedger(
  prisma: Pick<PrismaClient, 'account' | 'ledgerEntry'>,
  accountId: string,
  { limit, before, kind }: { limit: number; before: string | null; kind?: LedgerEntry['kind'] },
): Promise<{ entries: LedgerEntry[]; next: string | null }> {
  await requireAccount(prisma, accountId);
  const rows = await prisma.ledgerEntry.findMany({
    where: { accountId, kind, ...(before !== null && { id: { lt: before } }) },
    orderBy: { id: 'desc' },
    take: limit + 1,
  });
  const entries = rows.slice(0, limit);
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}
