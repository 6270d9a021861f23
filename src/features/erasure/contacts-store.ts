import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';
import { SLICE_ROWS } from './trace.js';

const FIND_INBOUND: PlannedStatement = {
  text: `SELECT id FROM inbound_messages WHERE conversation_id = $1 AND id > $2 ORDER BY id LIMIT ${SLICE_ROWS}`,
};

export async function findInbound(
  pool: pg.Pool,
  conversationId: string,
  after: string,
): Promise<{ rows: string[]; next: string | null }> {
  const { rows } = await pool.query<{ id: string }>({ ...FIND_INBOUND, values: [conversationId, after] });
  const ids = rows.map(({ id }) => id);
  return { rows: ids, next: ids.length === SLICE_ROWS ? (ids.at(-1) ?? null) : null };
}

const COUNT_RUNS: PlannedStatement = {
  text: 'SELECT count(*)::int AS count FROM automation_runs WHERE contact_id = ANY($1::uuid[])',
};

export async function countRuns(pool: pg.Pool, contactIds: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>({ ...COUNT_RUNS, values: [contactIds] });
  return rows[0]?.count ?? 0;
}
