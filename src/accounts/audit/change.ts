import type pg from 'pg';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { inSharedTransaction, type Transaction } from '../../platform/store/transaction.js';
import { AccountLocked, type LockedAccounts } from '../locked-accounts.js';
import { type Actor, type Change, writeAuditEntry } from './audit-log.js';

export interface ChangeStore {
  prisma: Pick<PrismaClient, '$transaction'>;
  /** Not needed for changes that lock no account. */
  lockedAccounts?: Pick<LockedAccounts, 'runInTurn'>;
}

/** An audit log entry for a change. If it names no account, the account where the change is made applies. */
export type AuditEntryInput = Omit<Change, 'accountId'> & { accountId?: string | null };

/** The result of a change and its audit log entries. */
export interface ChangeResult<T> {
  result: T;
  /** Null if nothing was changed after all, or if the use case wrote the entries itself. */
  audit: AuditEntryInput | readonly AuditEntryInput[] | null;
}

/** The transaction of a change. */
export interface ChangeTransaction extends Transaction {
  /**
   * Runs the callback right after the commit, for example to notify a worker. It never runs after a rollback, and must
   * not throw.
   */
  afterCommit(callback: () => void): void;
}

/** The options of a use case, with the connections of a transaction in place of the pool and client. */
export type InTransaction<O> = Omit<O, 'pool' | 'prisma'> & { pool: pg.PoolClient; prisma: Prisma.TransactionClient };

/** Makes a use case run inside a transaction. */
export function bindToTransaction<O extends object>(options: O, { client, prisma }: Transaction): InTransaction<O> {
  return { ...options, pool: client, prisma };
}

/**
 * Makes a change and writes its audit log entries in one transaction, so that neither exists without the other.
 * Operators and commands make all their changes through it. While another transaction has locked the account, the
 * change waits for its turn.
 * @param by the actor, and the account of entries that name none; null: the installation
 * @param work runs again after a deadlock or a wait for a locked account; if it throws, everything is rolled back
 * @throws {AppError} UNAVAILABLE when an account stays locked too long; nothing was changed
 */
export async function makeChange<T>(
  { prisma, lockedAccounts }: ChangeStore,
  by: { actor: Actor; accountId: string | null },
  work: (change: ChangeTransaction) => Promise<ChangeResult<T>>,
): Promise<T> {
  let callbacks: (() => void)[] = [];
  const attempt = () =>
    inSharedTransaction(prisma, async (transaction) => {
      callbacks = [];
      const { result, audit } = await work({ ...transaction, afterCommit: (callback) => callbacks.push(callback) });
      for (const entry of audit === null ? [] : [audit].flat()) {
        await writeAuditEntry(transaction.prisma, { accountId: by.accountId, ...entry, actor: by.actor });
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

/** A change that takes several transactions and can be interrupted between them. */
export interface ChangeStages<S, T> {
  /** The first transaction. Its audit log entry records the start. */
  begin(change: ChangeTransaction): Promise<ChangeResult<S>>;
  work(started: S): Promise<T>;
  /** Returns the audit log entry that records the outcome. */
  end(result: T): AuditEntryInput;
}

/**
 * Makes a change that takes several transactions. An audit log entry is written before the first row changes and
 * another after the last, so that an interrupted change leaves a trace too.
 * @param by as in `makeChange`
 */
export async function makeStagedChange<S, T>(
  store: ChangeStore,
  by: { actor: Actor; accountId: string | null },
  { begin, work, end }: ChangeStages<S, T>,
): Promise<T> {
  const started = await makeChange(store, by, begin);
  const result = await work(started);
  await recordEvent(store.prisma, by, end(result));
  return result;
}

/** Writes an audit log entry for an event that changes nothing itself, such as a failed sign-in. */
export async function recordEvent(
  prisma: Pick<PrismaClient, '$transaction'>,
  by: { actor: Actor; accountId: string | null },
  entry: AuditEntryInput,
): Promise<void> {
  await makeChange({ prisma }, by, async () => ({ result: null, audit: entry }));
}
