import { AppError, invalidField } from '../platform/errors/app-error.js';
import type { Account, Prisma, PrismaClient } from '../platform/generated/prisma/client.js';
import { isUuid, newId } from '../platform/ids.js';
import { LOCK_NOT_AVAILABLE } from '../platform/store/failures.js';
import { prismaSqlState } from '../platform/store/prisma-errors.js';
import type { SpendGuard } from './guard/guard.js';
import { AccountLocked, SHARED_LOCK_MS } from './locked-accounts.js';
import { formatMoney, MAX_MICROS } from './money.js';

/** ID of the rate card that the first database migration creates. */
export const STANDARD_RATE_CARD = 'standard';

type AccountTables = Pick<PrismaClient, 'account' | 'rateCard' | '$queryRaw'>;

export interface BookedCredit {
  ledgerEntryId: string;
  currency: string;
  amountMicros: bigint;
  balanceAfterMicros: bigint;
}

/**
 * An account without a spend guard may send to any country.
 * @throws {AppError} INVALID_REQUEST, NOT_FOUND
 */
export async function createAccount(
  prisma: AccountTables,
  input: { name: string; currency?: string; rateCardId?: string; guard?: SpendGuard | null },
): Promise<Account> {
  const name = input.name.trim();
  if (name === '') throw invalidField('name', 'must not be empty');
  const rateCardId = input.rateCardId ?? STANDARD_RATE_CARD;
  const card = await prisma.rateCard.findUnique({ where: { id: rateCardId } });
  if (!card) throw new AppError('NOT_FOUND', `there is no rate card ${rateCardId}`);
  if (input.currency !== undefined && input.currency !== card.currency) {
    throw invalidField('currency', `must be ${card.currency}, the currency of the rate card ${rateCardId}`);
  }
  const guard = input.guard ? { spendGuard: input.guard as unknown as Prisma.InputJsonObject } : {};
  return prisma.account.create({ data: { id: newId(), name, currency: card.currency, rateCardId, ...guard } });
}

/** Oldest first. */
export async function listAccounts(prisma: PrismaClient): Promise<Account[]> {
  return prisma.account.findMany({ orderBy: { id: 'asc' } });
}

/** @throws {AppError} NOT_FOUND */
export async function requireAccount(prisma: Pick<PrismaClient, 'account'>, accountId: string): Promise<Account> {
  const account = isUuid(accountId) ? await prisma.account.findUnique({ where: { id: accountId } }) : null;
  if (!account) throw new AppError('NOT_FOUND', `there is no account ${accountId}`);
  return account;
}

/**
 * A transaction must call `lockAccount` before any statement that changes the account. After an `AccountLocked` error, the
 * transaction must be rolled back and repeated, as `makeChange` does.
 * @throws {AppError} NOT_FOUND
 * @throws {AccountLocked}
 */
export async function lockAccount(prisma: Prisma.TransactionClient, accountId: string): Promise<Account> {
  if (isUuid(accountId)) await lockRow(prisma, accountId);
  return requireAccount(prisma, accountId);
}

async function lockRow(prisma: Prisma.TransactionClient, accountId: string): Promise<void> {
  try {
    await prisma.$queryRaw`
      SELECT id FROM accounts
      WHERE set_config('lock_timeout', ${`${SHARED_LOCK_MS}`}, true) IS NOT NULL AND id = ${accountId}::uuid
      FOR NO KEY UPDATE`;
  } catch (error) {
    throw prismaSqlState(error) === LOCK_NOT_AVAILABLE ? new AccountLocked(error, accountId) : error;
  }
  await prisma.$executeRaw`SET LOCAL lock_timeout TO DEFAULT`;
}

export interface Balance {
  balanceMicros: bigint;
  /** ISO 4217. */
  currency: string;
  balanceChangedAt: Date;
}

export function readBalance(
  { prisma }: { prisma: Pick<PrismaClient, 'account'> },
  accountId: string,
): Promise<Balance> {
  return prisma.account.findUniqueOrThrow({
    where: { id: accountId },
    select: { balanceMicros: true, currency: true, balanceChangedAt: true },
  });
}

/**
 * A transaction that makes other changes as well must call `lockAccount` before `creditAccount`.
 * @throws {AppError} INVALID_REQUEST, NOT_FOUND
 */
export async function creditAccount(
  prisma: AccountTables,
  credit: { accountId: string; amountMicros: bigint; note?: string; ledgerEntryId?: string },
): Promise<BookedCredit> {
  if (credit.amountMicros <= 0n) throw invalidField('amount', 'must be more than zero');
  const { balanceMicros } = await requireAccount(prisma, credit.accountId);
  if (balanceMicros + credit.amountMicros > MAX_MICROS) {
    throw invalidField('amount', `would raise the balance above the maximum of ${formatMoney(MAX_MICROS)}`);
  }
  const entry = await bookCredit(prisma, credit);
  if (!entry) throw new AppError('NOT_FOUND', `there is no account ${credit.accountId}`);
  return entry;
}

/**
 * A correction never lowers the balance below zero, even if messages are charged concurrently.
 * @throws {AppError} INVALID_REQUEST, NOT_FOUND
 */
export async function correctCredit(
  prisma: AccountTables,
  {
    accountId,
    amountMicros,
    note,
    ledgerEntryId,
  }: { accountId: string; amountMicros: bigint; note: string; ledgerEntryId?: string },
): Promise<BookedCredit> {
  if (amountMicros <= 0n) throw invalidField('amount', 'must be more than zero');
  if (note.trim() === '') throw invalidField('note', 'must give the reason');
  const { balanceMicros } = await requireAccount(prisma, accountId);
  const entry = await bookCredit(prisma, { accountId, amountMicros: -amountMicros, note: note.trim(), ledgerEntryId });
  if (!entry) {
    throw invalidField('amount', `would lower the balance below zero; it is ${formatMoney(balanceMicros)}`);
  }
  return entry;
}

/** Returns null if the account is unknown or its balance would fall below zero. */
async function bookCredit(
  prisma: AccountTables,
  {
    accountId,
    amountMicros,
    note,
    ledgerEntryId = newId(),
  }: { accountId: string; amountMicros: bigint; note?: string; ledgerEntryId?: string },
): Promise<BookedCredit | null> {
  const rows = await prisma.$queryRaw<BookedCredit[]>`
    WITH credited AS (
      UPDATE accounts
      SET balance_micros = balance_micros + ${amountMicros}, balance_changed_at = greatest(balance_changed_at, clock_timestamp())
      WHERE id = ${accountId}::uuid AND (${amountMicros}::bigint > 0 OR balance_micros + ${amountMicros}::bigint >= 0)
      RETURNING id, currency, balance_micros
    ), line AS (
      INSERT INTO ledger_entries (id, account_id, kind, amount_micros, balance_after_micros, note, created_at)
      SELECT ${ledgerEntryId}::uuid, id, 'credit', ${amountMicros}::bigint, balance_micros, ${note ?? null}::text,
        clock_timestamp() FROM credited
      RETURNING id, amount_micros, balance_after_micros
    )
    SELECT line.id AS "ledgerEntryId", credited.currency, line.amount_micros AS "amountMicros",
      line.balance_after_micros AS "balanceAfterMicros"
    FROM line, credited`;
  return rows[0] ?? null;
}
