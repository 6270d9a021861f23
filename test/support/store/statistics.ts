import type pg from 'pg';

/** Has what each connection of a pool has counted stand in PostgreSQL's statistics: it keeps that to itself for a while. */
export async function flushStatistics(pool: pg.Pool): Promise<void> {
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  try {
    for (const client of clients) await client.query('SELECT pg_stat_force_next_flush()');
  } finally {
    for (const client of clients) client.release();
  }
}
