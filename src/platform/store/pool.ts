import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { Logger } from 'pino';
import { PrismaClient } from '../generated/prisma/client.js';
import { SteadyClient } from './client.js';

/**
 * A statement of a hot path, prepared once per connection under its name. `values` are bound in the order of $1, $2 …
 */
export interface Statement {
  name: string;
  text: string;
}

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
}

/** Opens a pool of connections. */
export function openPool({ url, size, log, byKeyOnly = false }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    Client: SteadyClient,
    connectionString: url,
    max: size,
    // Without it an exhausted pool waits for ever.
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'heliograph',
    // A statement that outlives this is broken; a client has given up long before.
    statement_timeout: 60_000,
    ...(byKeyOnly && { options: '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off' }),
  });
  // An idle connection that PostgreSQL ends would otherwise end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection ended'));
  return pool;
}

/** Prisma's client on the same pool, for the ordinary queries. */
export function openPrisma(pool: pg.Pool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) });
}

/** Runs work in one transaction; commits when it resolves and rolls back when it rejects. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
