import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** Maximum number of callbacks to count, oldest first. */
const MAX_COUNTED = 10_000;

export interface PendingCallbacks {
  waiting: number;
  oldestSeconds: number;
  /** Number of callbacks that failed repeatedly and now wait for an operator. */
  setAside: number;
}

const WAITING: PlannedStatement = {
  text: `
SELECT count(*) FILTER (WHERE set_aside_at IS NULL)::int AS waiting,
       coalesce(date_part('epoch', now() - min(received_at) FILTER (WHERE set_aside_at IS NULL)), 0)::float8 AS "oldestSeconds",
       count(set_aside_at)::int AS "setAside"
FROM (SELECT received_at, set_aside_at FROM carrier_callbacks ORDER BY id LIMIT $1) oldest`,
};

export async function countPendingCallbacks(pool: pg.Pool): Promise<PendingCallbacks> {
  return (await pool.query<PendingCallbacks>({ ...WAITING, values: [MAX_COUNTED] })).rows[0] as PendingCallbacks;
}
