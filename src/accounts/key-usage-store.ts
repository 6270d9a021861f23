import type pg from 'pg';
import type { PlannedStatement } from '../platform/store/connections/pool.js';

/** Locks API keys in the order of their IDs, so that concurrent processes cannot deadlock. */
const WRITE: PlannedStatement = {
  text: `
WITH used AS (
  SELECT k.id, u.used_at FROM api_keys k JOIN unnest($1::uuid[], $2::timestamptz[]) u (id, used_at) ON k.id = u.id
  WHERE k.last_used_at IS NULL OR k.last_used_at < u.used_at
  ORDER BY k.id FOR NO KEY UPDATE OF k
)
UPDATE api_keys k SET last_used_at = used.used_at FROM used WHERE k.id = used.id`,
};

/** Never replaces the time of an API key's last use with an earlier time. */
export async function writeKeyUses(pool: pg.Pool, usedAtByKeyId: ReadonlyMap<string, Date>): Promise<void> {
  await pool.query({
    ...WRITE,
    values: [[...usedAtByKeyId.keys()], [...usedAtByKeyId.values()].map((time) => time.toISOString())],
  });
}
