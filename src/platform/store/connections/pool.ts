import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { Logger } from 'pino';
import { PrismaClient } from '../../generated/prisma/client.js';
import { Histogram, SHORT_SECONDS } from '../../metrics/histogram.js';
import { isStoreUnreachable } from '../failures.js';
import { holdConnection, reportConnection, reportConnectionRequest, trackTransaction } from '../transaction.js';
import { SteadyClient, type SteadyClientConfig } from './client.js';
import { getConnectionName } from './connection-name.js';
import { IDLE_IN_TRANSACTION_MS, type SessionParameters } from './session.js';

/** A statement that is prepared once per connection under its name. */
export interface Statement {
  name: string;
  text: string;
  /** Default: the pool's. */
  patienceMs?: number;
}

/** Timeout for getting a connection and again for each statement, after which the request gets a 503. */
export const REQUEST_TIMEOUT_MS = 5_000;
/** Background work may take longer, because no client waits for it. */
const BACKGROUND_TIMEOUT_MS = 30_000;
/** Timeout for slow statements, such as deletions. */
export const LONG_TIMEOUT_MS = 65_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** PostgreSQL cancels statements after a minute, when clients have long given up. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** A statement that PostgreSQL plans on each use, because it is rarely used or an outdated plan would slow it down. */
export type PlannedStatement = Omit<Statement, 'name'>;

export interface PoolOptions {
  url: string;
  size: number;
  log: Logger;
  /**
   * Disables sequential scans, hash joins and merge joins, because a plan cached while a table was small would scan it until
   * the next ANALYZE. Nested loops over sorted IDs, the only remaining join, also lock rows in the order of their IDs.
   */
  byKeyOnly?: boolean;
  /** Default: 30 s. */
  patienceMs?: number;
  /** Default: `getConnectionName()`. */
  name?: string;
  parameters?: SessionParameters;
  /** PostgreSQL rolls back a transaction that waits longer for our next statement. */
  idleInTransactionMs?: number;
  /** Whether the URL leads to a pooler in transaction mode. */
  isPooled?: boolean;
  /** Checks a connection before each use. If `validate` rejects, the connection is closed and the caller gets the error. */
  validate?: ValidateConnection;
}

type ValidateConnection = (client: pg.PoolClient) => Promise<void>;

const BY_KEY = { enable_hashjoin: 'off', enable_mergejoin: 'off', enable_seqscan: 'off' };

export class MeasuredPool extends pg.Pool {
  /** Waiting times for a connection in seconds, including the time to open it. */
  readonly waits = new Histogram(SHORT_SECONDS);
  readonly #validate: ValidateConnection | undefined;

  constructor(options: pg.PoolConfig, validate?: ValidateConnection) {
    super(options);
    this.#validate = validate;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: ConnectCallback): void;
  override connect(done?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const requestedAt = this.idleCount > this.waitingCount ? null : performance.now();
    const recordWait = () => this.waits.observe(requestedAt === null ? 0 : (performance.now() - requestedAt) / 1000);
    try {
      reportConnectionRequest();
    } catch (error) {
      if (!done) return Promise.reject(error);
      done(error as Error, undefined, () => undefined);
      return undefined;
    }
    if (!done) {
      return super.connect().then(
        (client) => {
          recordWait();
          if (this.#validate) return this.#validateOrRelease(client, this.#validate).then(trackCheckout);
          return trackCheckout(client);
        },
        (error) => {
          recordWait();
          throw error;
        },
      );
    }
    super.connect((error, client, release) => {
      recordWait();
      if (!client || !this.#validate) return done(error, client, release);
      void this.#validateOrRelease(client, this.#validate).then(
        () => done(undefined, client, release),
        (refusal: Error) => done(refusal, undefined, () => undefined),
      );
    });
    return undefined;
  }

  async #validateOrRelease(client: pg.PoolClient, validate: ValidateConnection): Promise<pg.PoolClient> {
    try {
      await validate(client);
      return client;
    } catch (refusal) {
      client.release(refusal as Error);
      throw refusal;
    }
  }
}

function trackCheckout(client: pg.PoolClient): pg.PoolClient {
  reportConnection(client);
  return client;
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

export function openPool({
  url,
  size,
  log,
  byKeyOnly = false,
  patienceMs = BACKGROUND_TIMEOUT_MS,
  name = getConnectionName(),
  parameters = {},
  idleInTransactionMs = IDLE_IN_TRANSACTION_MS,
  isPooled = false,
  validate,
}: PoolOptions): MeasuredPool {
  const ownParameters = { ...parameters, ...(byKeyOnly && BY_KEY) };
  const transactionParameters = { idle_in_transaction_session_timeout: `${idleInTransactionMs}` };
  const options: pg.PoolConfig & SteadyClientConfig = {
    Client: SteadyClient,
    patienceMs,
    connectionString: url,
    max: size,
    // Without a timeout, callers of an exhausted pool would wait forever.
    connectionTimeoutMillis: Math.min(patienceMs, CONNECT_TIMEOUT_MS),
    application_name: name,
    ...(isPooled
      ? { pooled: { parameters: toPooledParameters(ownParameters), transactionParameters } }
      : { parameters: { ...transactionParameters, ...ownParameters }, statement_timeout: STATEMENT_TIMEOUT_MS }),
  };
  const pool = new MeasuredPool(options, validate);
  // Without an `error` listener, this process would end if PostgreSQL closed an idle connection.
  pool.on('error', (error) =>
    log[pool.ending ? 'debug' : 'warn']({ err: error }, 'an idle database connection was lost'),
  );
  return pool;
}

/** Without parameters of its own, a pooled connection uses the role's settings, which `heliograph doctor` checks. */
function toPooledParameters(ownParameters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.keys(ownParameters).length > 0 ? { jit: 'off', ...ownParameters } : ownParameters;
}

/** Unlike a pool, a connection may already be in a transaction. */
export function isPool(connection: pg.Pool | pg.PoolClient): connection is pg.Pool {
  return connection instanceof pg.Pool;
}

export function openPrisma(pool: pg.Pool): PrismaClient {
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) });
  const startTransaction = prisma.$transaction.bind(prisma) as PrismaClient['$transaction'];
  return Object.assign(prisma, { $transaction: trackTransaction(startTransaction) });
}

export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let connectionError: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await holdConnection(client, () => work(client));
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      connectionError = rollbackError;
    });
    // Close the connection, because a new connection may reach the successor of a server that has become read-only.
    if (isStoreUnreachable(error)) connectionError ??= error as Error;
    throw error;
  } finally {
    client.release(connectionError);
  }
}

export async function withConnection<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    return await holdConnection(client, () => work(client));
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}

export async function readInTransaction<T>(
  pool: pg.Pool,
  begin: (client: pg.PoolClient) => Promise<unknown>,
  read: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let connectionError: Error | undefined;
  try {
    await begin(client);
    return await holdConnection(client, () => read(client));
  } finally {
    await client.query('ROLLBACK').catch((error: Error) => {
      connectionError = error;
    });
    client.release(connectionError);
  }
}
