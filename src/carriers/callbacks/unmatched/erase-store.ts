import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

const FIND: PlannedStatement = {
  text: 'SELECT id FROM kept_reports WHERE $1 = ANY(ids) AND id > $2::uuid ORDER BY id LIMIT $3',
};

export async function findUnmatchedByAddress(
  pool: pg.Pool,
  address: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...FIND, values: [address, after, limit] });
  return rows.map(({ id }) => id);
}

const ERASE: PlannedStatement = { text: 'DELETE FROM kept_reports WHERE id = ANY($1::uuid[])' };

export async function eraseUnmatched(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
  await client.query({ ...ERASE, values: [ids] });
}
