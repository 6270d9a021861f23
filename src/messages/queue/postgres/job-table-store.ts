import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/**
 * Normally, VACUUM keeps the number of dead rows below this limit, unless VACUUM falls behind or an open snapshot blocks it.
 */
export const MAX_DEAD_ROWS = 20_000;
/** Maximum jobs to copy while the table is locked. */
const MAX_LIVE_JOBS = 5_000;
/** Longest time that other statements wait while a running statement or a backup blocks the table lock. */
const LOCK_TIMEOUT = '50ms';

const COUNT_DEAD_ROWS: PlannedStatement = {
  text: `SELECT coalesce(sum(n_dead_tup), 0)::float8 AS dead FROM pg_stat_user_tables
         WHERE schemaname = 'bullmq' AND relname IN ('job', 'event')`,
};

/** SQL condition that is true if there are more jobs than may be copied, or rows in tables that this queue does not use. */
const IS_TOO_LARGE = `(SELECT count(*) FROM (SELECT FROM bullmq.job LIMIT ${MAX_LIVE_JOBS + 1}) AS counted) > ${MAX_LIVE_JOBS}
    OR EXISTS (SELECT FROM bullmq.job_log) OR EXISTS (SELECT FROM bullmq.job_dependency)`;

/**
 * TRUNCATE also removes dead rows that VACUUM must keep for an open snapshot; the snapshot then sees empty tables. The number
 * of jobs is checked before the table is locked, and again under the lock.
 */
const REBUILD: PlannedStatement = {
  text: `
DO $$
DECLARE
  jobs bullmq.job[];
BEGIN
  IF ${IS_TOO_LARGE} THEN
    RAISE EXCEPTION 'the job table holds too many rows to rebuild' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  PERFORM set_config('lock_timeout', '${LOCK_TIMEOUT}', true), set_config('synchronous_commit', 'off', true);
  LOCK TABLE bullmq.job, bullmq.job_log, bullmq.job_dependency, bullmq.event IN ACCESS EXCLUSIVE MODE;
  IF ${IS_TOO_LARGE} THEN
    RAISE EXCEPTION 'the job table holds too many rows to rebuild' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  jobs := ARRAY(SELECT j FROM bullmq.job j);
  TRUNCATE bullmq.job, bullmq.job_log, bullmq.job_dependency, bullmq.event;
  INSERT INTO bullmq.job SELECT * FROM unnest(jobs);
END
$$`,
};

/** Uses PostgreSQL's statistics. */
export async function countDeadRows(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ dead: number }>(COUNT_DEAD_ROWS);
  return (rows[0] as { dead: number }).dead;
}

/** SQLSTATEs for a lock timeout and for too many jobs. */
const RETRY_LATER_STATES = new Set(['55P03', '55000']);

/** Returns false and changes nothing if the table is locked or has too many jobs. */
export async function rebuildJobTable(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query(REBUILD);
    return true;
  } catch (error) {
    if (RETRY_LATER_STATES.has((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}
