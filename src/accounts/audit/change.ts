import type pg from 'pg';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { inSharedTransaction, type Transaction } from '../../platform/store/transaction.js';
import { AccountLocked, type LockedAccounts } from '../locked-accounts.js';
import { type Actor, type Change, writeAuditEntry } from './audit-log.js';

export interface ChangeStore {
  prisma: Pick<PrismaClient, '$transaction'>;
  /** `lockedAccounts` is required only for changes that lock an account. */
  lockedAccounts?: Pick<LockedAccounts, 'runInTurn'>;
}

/** An audit log entry without an account ID gets the account ID of its change. */
export type AuditEntryInput = Omit<Change, 'accountId'> & { accountId?: string | null };

export interface ChangeResult<T> {
  result: T;
  /** `audit` is null if nothing changed, or if the use case has written the audit log entries itself. */
  audit: AuditEntryInput | readonly AuditEntryInput[] | null;
}

export interface ChangeTransaction extends Transaction {
  /** The callback runs only after a successful commit and must not throw. */
  afterCommit(callback: () => void): void;
}

export type InTransaction<O> = Omit<O, 'pool' | 'prisma'> & { pool: pg.PoolClient; prisma: Prisma.TransactionClient };

export function bindToTransaction<O extends object>(options: O, { client, prisma }: Transaction): InTransaction<O> {
  return { ...options, pool: client, prisma };
}

/**
 * Makes a change and writes its audit log entries in one transaction. `work` is repeated after a deadlock or a lock timeout.
 * @throws {AppError} UNAVAILABLE
 */
export async function makeChange<T>(
  { prisma, lockedAccounts }: ChangeStore,
  origin: { actor: Actor; accountId: string | null },
  work: (change: ChangeTransaction) => Promise<ChangeResult<T>>,
): Promise<T> {
  let callbacks: (() => void)[] = [];
  const attempt = () =>
    inSharedTransaction(prisma, async (transaction) => {
      callbacks = [];
      const { result, audit } = await work({ ...transaction, afterCommit: (callback) => callbacks.push(callback) });
      for (const entry of audit === null ? [] : [audit].flat()) {
        await writeAuditEntry(transaction.prisma, { accountId: origin.accountId, ...entry, actor: origin.actor });
      }
      return result;
    });
  const result = await attempt().catch((error: unknown) => {
    if (!lockedAccounts || !(error instanceof AccountLocked) || error.accountId === null) throw error;
    return lockedAccounts.runInTurn(error.accountId, attempt);
  });
  for (const callback of callbacks) callback();
  return result;
}

export interface ChangeStages<S, T> {
  begin(change: ChangeTransaction): Promise<ChangeResult<S>>;
  work(started: S): Promise<T>;
  end(result: T): AuditEntryInput;
}

/** Writes an audit log entry before and after `work`, so that an interrupted change leaves a trace. */
export async function makeStagedChange<S, T>(
  store: ChangeStore,
  origin: { actor: Actor; accountId: string | null },
  { begin, work, end }: ChangeStages<S, T>,
): Promise<T> {
  const startResult = await makeChange(store, origin, begin);
  const result = await work(startResult);
  await recordEvent(store.prisma, origin, end(result));
  return result;
}

/** Writes an audit log entry for an event that changes no data, such as a failed sign-in. */
export async function recordEvent(
  prisma: Pick<PrismaClient, '$transaction'>,
  origin: { actor: Actor; accountId: string | null },
  entry: AuditEntryInput,
): Promise<void> {
  await makeChange({ prisma }, origin, async () => ({ result: null, audit: entry }));
}
