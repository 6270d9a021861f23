import type pg from 'pg';

/** Lists the statements, on any connection, that wait for a lock of `holder`. */
export async function listBlockedStatements(pool: pg.Pool, holder: pg.PoolClient): Promise<string[]> {
  const { rows: backend } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const { rows } = await pool.query<{ query: string }>(
    'SELECT query FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))',
    [backend[0]?.pid],
  );
  return rows.map(({ query }) => query);
}
