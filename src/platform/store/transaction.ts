import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { getSqlState, isRetryable, LOCK_NOT_AVAILABLE } from './failures.js';
import { prismaSqlState } from './prisma-errors.js';
import { retryTransaction } from './repeat.js';

/** A transaction shared by `pg` and Prisma's client, so that the writes of both commit together. */
export interface Transaction {
  readonly client: pg.PoolClient;
  readonly prisma: Prisma.TransactionClient;
}

interface TransactionScope {
  client: pg.PoolClient | null;
  /** True once the transaction has ended, because work that outlives it holds no connection. */
  hasEnded: boolean;
}

const currentScope = new AsyncLocalStorage<TransactionScope>();

let onSecondConnection: ((error: Error) => void) | null = null;

/**
 * Reports code that requests a second connection while it holds a connection, because concurrent requests of this kind can
 * block the pool forever. Only tests enable the check, because it slows down every promise.
 */
export function watchSecondConnections(watcher: ((error: Error) => void) | null): void {
  onSecondConnection = watcher;
}

/** The work must not request a second connection. */
export async function holdConnection<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  return onSecondConnection ? await runInScope({ client, hasEnded: false }, work) : await work();
}

async function runInScope<T>(scope: TransactionScope, work: () => Promise<T>): Promise<T> {
  try {
    return await currentScope.run(scope, work);
  } finally {
    scope.hasEnded = true;
  }
}

/** Pools call `reportConnectionRequest`, which throws the watcher's error. */
export function reportConnectionRequest(): void {
  const scope = currentScope.getStore();
  if (onSecondConnection === null || !scope?.client || scope.hasEnded) return;
  onSecondConnection(new Error('a second connection was requested inside a transaction, which already holds one'));
}

export function trackTransaction(begin: PrismaClient['$transaction']): PrismaClient['$transaction'] {
  const startInScope = (work: unknown, ...options: unknown[]): unknown => {
    const run = () => Reflect.apply(begin, undefined, [work, ...options]) as Promise<unknown>;
    const scope = currentScope.getStore();
    const isTracked = scope?.client === null && !scope.hasEnded;
    return onSecondConnection && typeof work === 'function' && !isTracked
      ? runInScope({ client: null, hasEnded: false }, run)
      : run();
  };
  return startInScope as PrismaClient['$transaction'];
}

const PRISMA_TIMEOUTS = { maxWait: 5_000, timeout: 65_000 };

/** Pools call `reportConnection` before they return a connection to a caller. */
export function reportConnection(client: pg.PoolClient): void {
  const scope = currentScope.getStore();
  if (scope && !scope.hasEnded) scope.client ??= client;
}

/**
 * The work may run again after a deadlock, so effects outside the transaction must wait until `inSharedTransaction` has
 * resolved. `prisma` must use a pool from `openPool`.
 */
export function inSharedTransaction<T>(
  prisma: Pick<PrismaClient, '$transaction'>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return retryTransaction(() => {
    const scope: TransactionScope = { client: null, hasEnded: false };
    return runInScope(scope, () =>
      prisma.$transaction((transaction) => {
        // Prisma gets the connection from the pool before it calls the callback.
        if (!scope.client) throw new Error('the pool did not report the connection of a transaction');
        return work({ client: scope.client, prisma: transaction });
      }, PRISMA_TIMEOUTS),
    );
  }, mayRepeat);
}

/** Prisma's own code for a deadlock is P2034. */
function mayRepeat(error: unknown): boolean {
  const state = prismaSqlState(error) ?? getSqlState(error);
  return state === 'P2034' || (state !== LOCK_NOT_AVAILABLE && isRetryable({ code: state }));
}
