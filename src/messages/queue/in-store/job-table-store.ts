import type pg from 'pg';
import type { PlannedStatement } from '../../../platform/store/connections/pool.js';

/** Dead rows past which the tables are made anew: VACUUM leaves fewer, unless it is busy elsewhere or something keeps it from them. */
export const MOST_DEAD = 20_000;
/** Jobs that are taken along at the most: they are copied while nobody else reaches the table. */
const MOST_LIVE = 5_000;
/** For so long others are held up at the most where a statement, or a backup, has the table. */
const LOCK_PATIENCE = '50ms';

const DEAD: PlannedStatement = {
  text: `SELECT coalesce(sum(n_dead_tup), 0)::float8 AS dead FROM pg_stat_user_tables
         WHERE schemaname = 'bullmq' AND relname IN ('job', 'event')`,
};

/** More jobs than are copied, or something in the tables that this queue does not use. */
const TOO_MUCH = `(SELECT count(*) FROM (SELECT FROM bullmq.job LIMIT ${MOST_LIVE + 1}) AS counted) > ${MOST_LIVE}
    OR EXISTS (SELECT FROM bullmq.job_log) OR EXISTS (SELECT FROM bullmq.job_dependency)`;

/**
 * TRUNCATE ends dead rows that VACUUM must keep for a snapshot: that snapshot sees the tables empty from now on. The log and the
 * dependencies of jobs have a key on them, and hold nothing; nobody reads the events. What is too much is seen before the lock,
 * and once more under it. As all commits of the queue, this one does not wait for a standby.
 */
const MAKE_ANEW: PlannedStatement = {
  text: `
DO $$
DECLARE
  kept bullmq.job[];
BEGIN
  IF ${TOO_MUCH} THEN
    RAISE EXCEPTION 'too much is in the table of jobs' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  PERFORM set_config('lock_timeout', '${LOCK_PATIENCE}', true), set_config('synchronous_commit', 'off', true);
  LOCK TABLE bullmq.job, bullmq.job_log, bullmq.job_dependency, bullmq.event IN ACCESS EXCLUSIVE MODE;
  IF ${TOO_MUCH} THEN
    RAISE EXCEPTION 'too much is in the table of jobs' USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  kept := ARRAY(SELECT j FROM bullmq.job j);
  TRUNCATE bullmq.job, bullmq.job_log, bullmq.job_dependency, bullmq.event;
  INSERT INTO bullmq.job SELECT * FROM unnest(kept);
END
$$`,
};

/** Dead rows of the tables of jobs and their events, as PostgreSQL's statistics have them. */
export async function countDeadJobs(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ dead: number }>(DEAD);
  return (rows[0] as { dead: number }).dead;
}

/** PostgreSQL's codes of what is no failure: the lock was not had in time, or there are too many jobs. */
const NOT_NOW = new Set(['55P03', '55000']);

/**
 * Makes the table of jobs anew with the jobs that are in it, and that of events without any.
 * @returns false where somebody has it, or it holds too many jobs; it is as it was then
 */
export async function makeJobTableAnew(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query(MAKE_ANEW);
    return true;
  } catch (error) {
    if (NOT_NOW.has((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}
