import type pg from 'pg';
import {
  type BookedCredit,
  correctCredit,
  creditAccount,
  lockAccount,
  requireAccount,
} from '../../accounts/accounts.js';
import type { IdempotencyKey } from '../../accounts/idempotency/idempotency.js';
import { findResultId, reserveKey } from '../../accounts/idempotency/idempotency-store.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { Prisma } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';

/** A negative amount is a correction, which requires a note. */
export interface Booking {
  accountId: string;
  /** In millionths of the account's currency unit. */
  amountMicros: bigint;
  note?: string;
}

/**
 * An idempotency key is valid for 24 hours. Returns the ledger line, and whether an earlier request with the same key
 * wrote it.
 * @throws {AppError} IDEMPOTENCY_MISMATCH, or any error of `creditAccount` or `correctCredit`
 */
export async function creditOnce(
  { client, prisma }: { client: pg.PoolClient; prisma: Prisma.TransactionClient },
  { accountId, amountMicros, note }: Booking,
  claim: IdempotencyKey | null,
  now: Date,
): Promise<{ credit: BookedCredit; replayed: boolean }> {
  const ledgerEntryId = newId();
  // Accounts are locked before idempotency keys, to avoid deadlocks.
  await lockAccount(prisma, accountId);
  if (claim && !(await reserveKey(client, accountId, claim, ledgerEntryId, now))) {
    const entryId = await findResultId(client, accountId, claim, now);
    return { credit: await findCredit(prisma, accountId, entryId), replayed: true };
  }
  const credit =
    amountMicros < 0n
      ? await correctCredit(prisma, { accountId, amountMicros: -amountMicros, note: note ?? '', ledgerEntryId })
      : await creditAccount(prisma, { accountId, amountMicros, note, ledgerEntryId });
  return { credit, replayed: false };
}

async function findCredit(
  prisma: Prisma.TransactionClient,
  accountId: string,
  id: string | null,
): Promise<BookedCredit> {
  const line = id && (await prisma.ledgerEntry.findFirst({ where: { id, accountId } }));
  if (!line) throw new AppError('CONFLICT', 'The ledger line of this Idempotency-Key no longer exists.');
  const { currency } = await requireAccount(prisma, accountId);
  const { amountMicros, balanceAfterMicros } = line;
  return { ledgerEntryId: line.id, currency, amountMicros, balanceAfterMicros };
}
