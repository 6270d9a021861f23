import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { LOCK_NOT_AVAILABLE, sqlState, worthRepeating } from './failures.js';
import { prismaSqlState } from './prisma-errors.js';
import { repeated } from './repeat.js';

/** One transaction, as `pg` and as Prisma's client see it: what is written by either commits together. */
export interface Transaction {
  /** Its connection, for the statements of stores and for use cases that take a `pg.PoolClient`. */
  readonly client: pg.PoolClient;
  /** Prisma's client on the same connection. */
  readonly prisma: Prisma.TransactionClient;
}

/** What a flow of calls holds: the connection of the transaction that it is in. */
interface Held {
  client: pg.PoolClient | null;
  /** What began in the transaction and outlives it holds nothing. */
  hasEnded: boolean;
}

const holding = new AsyncLocalStorage<Held>();

let onSecond: ((error: Error) => void) | null = null;

/**
 * Has every connection told of that is asked of a pool by who holds one already: as many of them at once as the pool has
 * connections wait for each other, and everybody else behind them. What is told may throw, so that none is given out. The
 * tests do so; production does not look, for the look costs every promise something.
 */
export function watchSecondConnections(told: ((error: Error) => void) | null): void {
  onSecond = told;
}

/** Runs work that holds a connection, and may take no second one. */
export async function holdConnection<T>(client: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  return onSecond ? await hold({ client, hasEnded: false }, work) : await work();
}

async function hold<T>(held: Held, work: () => Promise<T>): Promise<T> {
  try {
    return await holding.run(held, work);
  } finally {
    held.hasEnded = true;
  }
}

/** A pool tells here of each connection that is asked of it. @throws what the watcher throws */
export function noteAsked(): void {
  const held = holding.getStore();
  if (onSecond === null || !held?.client || held.hasEnded) return;
  onSecond(new Error('a second connection is asked for within a transaction, which holds one'));
}

/** As Prisma's own, in which no second connection may be taken either. */
export function holdingTransaction(begin: PrismaClient['$transaction']): PrismaClient['$transaction'] {
  const within = (work: unknown, ...options: unknown[]): unknown => {
    const run = () => Reflect.apply(begin, undefined, [work, ...options]) as Promise<unknown>;
    const held = holding.getStore();
    const isNoted = held?.client === null && !held.hasEnded;
    return onSecond && typeof work === 'function' && !isNoted ? hold({ client: null, hasEnded: false }, run) : run();
  };
  return within as PrismaClient['$transaction'];
}

/** Milliseconds for which a transaction waits for its connection, and that it may take in all. */
const LIMITS = { maxWait: 5_000, timeout: 65_000 };

/** A pool tells here of each connection that it gives out, before its user has it. */
export function noteConnection(client: pg.PoolClient): void {
  const held = holding.getStore();
  if (held && !held.hasEnded) held.client ??= client;
}

/**
 * Runs work in one transaction that statements of `pg` and of Prisma share; commits when it resolves and rolls back when
 * it rejects. After a deadlock all of it is run again, so whatever else it does must wait until it has resolved.
 * @param prisma on a pool of `openPool`
 */
export function inSharedTransaction<T>(
  prisma: Pick<PrismaClient, '$transaction'>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  return repeated(() => {
    const held: Held = { client: null, hasEnded: false };
    return hold(held, () =>
      prisma.$transaction((transaction) => {
        // Prisma takes the connection from the pool before it calls this.
        if (!held.client) throw new Error('the connection of a transaction was not told of by its pool');
        return work({ client: held.client, prisma: transaction });
      }, LIMITS),
    );
  }, mayRepeat);
}

/**
 * Whether `pg` or Prisma reported a deadlock (Prisma's own code is P2034). A lock that could not be had in time is not requested
 * again at once.
 */
function mayRepeat(error: unknown): boolean {
  const state = prismaSqlState(error) ?? sqlState(error);
  return state === 'P2034' || (state !== LOCK_NOT_AVAILABLE && worthRepeating({ code: state }));
}
