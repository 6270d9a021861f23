import type pg from 'pg';
import { inTransaction, isPool } from './connections/pool.js';
import { retryTransaction } from './repeat.js';

export type Connection = pg.Pool | pg.PoolClient;

/** If given a pool, runs the work in a new transaction and repeats it after a deadlock. */
export async function withTransaction<T>(
  connection: Connection,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  if (!isPool(connection)) return await work(connection);
  return await retryTransaction(() => inTransaction(connection, work));
}
