import type pg from 'pg';

/** How many deadlocks PostgreSQL has ended in the pool's database. Ask when nothing is under way. */
export async function countDeadlocks(pool: pg.Pool): Promise<number> {
  // A connection keeps what it has counted to itself for a while.
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  try {
    for (const client of clients) await client.query('SELECT pg_stat_force_next_flush()');
  } finally {
    for (const client of clients) client.release();
  }
  const { rows } = await pool.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.deadlocks ?? 0;
}
