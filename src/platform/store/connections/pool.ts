import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { Logger } from 'pino';
import { PrismaClient } from '../../generated/prisma/client.js';
import { SHORT_SECONDS, Spread } from '../../metrics/spread.js';
import { isStoreAway } from '../failures.js';
import { holdConnection, holdingTransaction, noteAsked, noteConnection } from '../transaction.js';
import { SteadyClient, type SteadyClientConfig } from './client.js';
import { connectionName } from './connection-name.js';
import { IDLE_IN_TRANSACTION_MS, type SessionParameters } from './session.js';

/**
 * A statement of a hot path, prepared once per connection under its name. `values` are bound in the order of $1, $2 …
 */
export interface Statement {
  name: string;
  text: string;
  /** Milliseconds for which its answer is waited for, where that is not the patience of its pool. */
  patienceMs?: number;
}

/**
 * Milliseconds for which whoever answers a request waits for a connection, and for the answer to a statement. What
 * waits longer is answered with 503.
 */
export const REQUEST_PATIENCE_MS = 5_000;
/** The same for work in the background, which nobody waits for: it bears with a store that is slow for a while. */
const BACKGROUND_PATIENCE_MS = 30_000;
/** For statements that may take long, such as deletions. PostgreSQL ends what takes longer. */
export const LONG_PATIENCE_MS = 65_000;
const CONNECT_MS = 10_000;
/** A statement that outlives this is broken; a client has given up long before. */
const STATEMENT_MS = 60_000;

/**
 * A statement that is planned anew each time, by its values and by what its tables hold by then: for what is asked
 * seldom, and for what a plan of an earlier moment would make slow.
 */
export type PlannedStatement = Omit<Statement, 'name'>;

export interface PoolOptions {
  url: string;
  /** Connections at the most. */
  size: number;
  log: Logger;
  /**
   * Its statements reach rows by primary key only. A plan that was cached while a table was small would else go on
   * scanning it whole until the next ANALYZE, and a nested loop over sorted ids locks rows in the order of their ids.
   */
  byKeyOnly?: boolean;
  /** Milliseconds for which the answer to a statement is waited for; 30 s, that of work in the background, unless told. */
  patienceMs?: number;
  /** What PostgreSQL is told that its connections are; `connectionName()` unless told. */
  name?: string;
  /** Parameters of PostgreSQL that hold on its connections. */
  parameters?: SessionParameters;
  /** Milliseconds that a transaction may wait for our next statement before PostgreSQL rolls it back. */
  idleInTransactionMs?: number;
  /** Whether a pooler in transaction mode is in between. */
  isPooled?: boolean;
  /** Looks at a connection before each use; where it rejects, the connection is closed, and whoever asked for it is told. */
  admit?: Admit;
}

type Admit = (client: pg.PoolClient) => Promise<void>;

/** Every connection of it reaches rows by their key. */
const BY_KEY = { enable_hashjoin: 'off', enable_mergejoin: 'off', enable_seqscan: 'off' };

/** A pool that measures how long its connections are waited for. */
export class MeasuredPool extends pg.Pool {
  /** Seconds until a connection was had, or given up; making a new one is part of it. */
  readonly waits = new Spread(SHORT_SECONDS);
  readonly #admit: Admit | undefined;

  constructor(options: pg.PoolConfig, admit?: Admit) {
    super(options);
    this.#admit = admit;
  }

  // What `query` does too.
  override connect(): Promise<pg.PoolClient>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<pg.PoolClient> | undefined {
    const asked = this.idleCount > this.waitingCount ? null : performance.now();
    const had = () => this.waits.see(asked === null ? 0 : (performance.now() - asked) / 1000);
    try {
      noteAsked();
    } catch (error) {
      if (!done) return Promise.reject(error);
      done(error as Error, undefined, () => undefined);
      return undefined;
    }
    if (!done) {
      return super.connect().then(
        (client) => {
          had();
          if (this.#admit) return this.#admitted(client, this.#admit).then(noted);
          return noted(client);
        },
        (error) => {
          had();
          throw error;
        },
      );
    }
    super.connect((error, client, release) => {
      had();
      if (!client || !this.#admit) return done(error, client, release);
      void this.#admitted(client, this.#admit).then(
        () => done(undefined, client, release),
        (refusal: Error) => done(refusal, undefined, () => undefined),
      );
    });
    return undefined;
  }

  async #admitted(client: pg.PoolClient, admit: Admit): Promise<pg.PoolClient> {
    try {
      await admit(client);
      return client;
    } catch (refusal) {
      client.release(refusal as Error);
      throw refusal;
    }
  }
}

/** Notes that whoever asked holds it from now on. */
function noted(client: pg.PoolClient): pg.PoolClient {
  noteConnection(client);
  return client;
}

type Connected = Parameters<pg.Pool['connect']>[0];

/** Opens a pool of connections. */
export function openPool({
  url,
  size,
  log,
  byKeyOnly = false,
  patienceMs = BACKGROUND_PATIENCE_MS,
  name = connectionName(),
  parameters = {},
  idleInTransactionMs = IDLE_IN_TRANSACTION_MS,
  isPooled = false,
  admit,
}: PoolOptions): MeasuredPool {
  const own = { ...parameters, ...(byKeyOnly && BY_KEY) };
  const ofTransactions = { idle_in_transaction_session_timeout: `${idleInTransactionMs}` };
  const options: pg.PoolConfig & SteadyClientConfig = {
    Client: SteadyClient,
    patienceMs,
    connectionString: url,
    max: size,
    // Without it an exhausted pool waits for ever.
    connectionTimeoutMillis: Math.min(patienceMs, CONNECT_MS),
    application_name: name,
    ...(isPooled
      ? { pooled: { parameters: pooledParameters(own), ofTransactions } }
      : { parameters: { ...ofTransactions, ...own }, statement_timeout: STATEMENT_MS }),
  };
  const pool = new MeasuredPool(options, admit);
  // An idle connection that PostgreSQL ends would otherwise end the process.
  pool.on('error', (error) => log[pool.ending ? 'debug' : 'warn']({ err: error }, 'an idle database connection ended'));
  return pool;
}

/**
 * Behind a pooler parameters travel with each statement. A pool that has none of its own sends none, so that its statements stay
 * as they are; there the role's settings apply, which the doctor checks.
 */
function pooledParameters(own: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.keys(own).length > 0 ? { jit: 'off', ...own } : own;
}

/** Whether a transaction is to be had of it, or it is one already. */
export function isPool(connection: pg.Pool | pg.PoolClient): connection is pg.Pool {
  return connection instanceof pg.Pool;
}

/** Prisma's client on the same pool, for the ordinary queries. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) });
  const begin = prisma.$transaction.bind(prisma) as PrismaClient['$transaction'];
  return Object.assign(prisma, { $transaction: holdingTransaction(begin) });
}

/** Runs work in one transaction; commits when it resolves and rolls back when it rejects. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await holdConnection(client, () => work(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    // A server that became read-only stays so: the next connection may lead to the one that took over.
    if (isStoreAway(error)) broken ??= error as Error;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Runs work that makes transactions of its own, one after the other, on one connection. */
export async function withConnection<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    return await holdConnection(client, () => work(client));
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    // One on which something failed is given out no more.
    client.release(failure);
  }
}

/**
 * Reads in one transaction, which is rolled back in the end: nothing was written.
 * @param begin begins it
 */
export async function readInTransaction<T>(
  pool: pg.Pool,
  begin: (client: pg.PoolClient) => Promise<unknown>,
  read: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await begin(client);
    return await holdConnection(client, () => read(client));
  } finally {
    await client.query('ROLLBACK').catch((error: Error) => {
      broken = error;
    });
    client.release(broken);
  }
}
