import type pg from 'pg';
import { flushStatistics } from './statistics.js';

/** Counts the deadlocks that PostgreSQL has detected in the database, which must be idle. */
export async function countDeadlocks(pool: pg.Pool): Promise<number> {
  await flushStatistics(pool);
  const { rows } = await pool.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.deadlocks ?? 0;
}
