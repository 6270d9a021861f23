import type pg from 'pg';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { inSharedTransaction, type Transaction } from '../../platform/store/transaction.js';
import { AccountLocked, type HeldAccounts } from '../held-accounts.js';
import { type Actor, audit, type Change } from './audit-log.js';

/** Where changes are made. */
export interface ChangeStore {
  prisma: Pick<PrismaClient, '$transaction'>;
  /** Not needed for changes that lock no account. */
  held?: Pick<HeldAccounts, 'inTurn'>;
}

/** A change as whoever makes it tells of it; the account is that of where it is made, unless told. */
export type ToldChange = Omit<Change, 'accountId'> & { accountId?: string | null };

/** What came of a change, and what the audit log is told of it. */
export interface Changed<T> {
  result: T;
  /** One line, or several; null where nothing was changed after all, or a use case wrote the lines itself. */
  told: ToldChange | readonly ToldChange[] | null;
}

/** The transaction of a change, and what is to be done once it is committed. */
export interface ChangeInHand extends Transaction {
  /**
   * Has work done right after the commit, such as telling a worker; never where the transaction is rolled back. It must not
   * throw.
   */
  afterCommit(act: () => void): void;
}

/** Options of use cases that reach the store by the transaction of a change alone. */
export type Inside<O> = Omit<O, 'pool' | 'prisma'> & { pool: pg.PoolClient; prisma: Prisma.TransactionClient };

/** The options of use cases with the transaction of a change in place of the pool and of Prisma's own client. */
export function inside<O extends object>(options: O, { client, prisma }: Transaction): Inside<O> {
  return { ...options, pool: client, prisma };
}

/**
 * Makes a change and writes its lines of the audit log, in one transaction: neither is there without the other. It is the
 * only way by which operators and commands change things. While another transaction has locked the account that the work locks,
 * the change waits for the account's turn.
 * @param by who acts, and the account that lines are of unless they say another; null: the installation
 * @param work runs again after a deadlock or a wait for a locked account; what it throws rolls all of it back
 * @throws {AppError} UNAVAILABLE when an account stays locked too long; nothing was changed
 */
export async function changing<T>(
  { prisma, held }: ChangeStore,
  by: { actor: Actor; accountId: string | null },
  work: (change: ChangeInHand) => Promise<Changed<T>>,
): Promise<T> {
  let acts: (() => void)[] = [];
  const attempt = () =>
    inSharedTransaction(prisma, async (transaction) => {
      acts = [];
      const { result, told } = await work({ ...transaction, afterCommit: (act) => acts.push(act) });
      for (const line of told === null ? [] : [told].flat()) {
        await audit(transaction.prisma, { accountId: by.accountId, ...line, actor: by.actor });
      }
      return result;
    });
  const result = await attempt().catch((error: unknown) => {
    if (!held || !(error instanceof AccountLocked) || error.accountId === null) throw error;
    return held.inTurn(error.accountId, attempt);
  });
  for (const act of acts) act();
  return result;
}

/** Work that is more than one transaction: what may end it anywhere leaves the line of its beginning. */
export interface Stages<S, T> {
  /** The first transaction, and the line that says that it begins. */
  begin(change: ChangeInHand): Promise<Changed<S>>;
  work(begun: S): Promise<T>;
  /** The line that says what came of it. */
  end(result: T): ToldChange;
}

/**
 * Has a line of the audit log written before the first row of what takes many transactions is changed, and one after the
 * last. What is killed or fails in between has changed something as well, and only the first line tells of it.
 * @param by as of `changing`
 */
export async function inStages<S, T>(
  store: ChangeStore,
  by: { actor: Actor; accountId: string | null },
  { begin, work, end }: Stages<S, T>,
): Promise<T> {
  const begun = await changing(store, by, begin);
  const result = await work(begun);
  await noting(store.prisma, by, end(result));
  return result;
}

/** Writes a line of what changed nothing in the store by itself, such as a sign-in that failed. */
export async function noting(
  prisma: Pick<PrismaClient, '$transaction'>,
  by: { actor: Actor; accountId: string | null },
  told: ToldChange,
): Promise<void> {
  await changing({ prisma }, by, async () => ({ result: null, told }));
}
