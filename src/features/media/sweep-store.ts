import type pg from 'pg';
import { LONG_TIMEOUT_MS, type PlannedStatement } from '../../platform/store/connections/pool.js';
import { idDaysAgo } from '../../platform/store/sweep.js';

const GIVE_UP_UPLOADS: PlannedStatement = {
  text: `UPDATE media SET status = 'removed' WHERE id IN (
           SELECT id FROM media WHERE status = 'writing' AND origin = 'uploaded' AND leased_until < now()
           ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`,
};

const RELEASE_RECEIVED: PlannedStatement = {
  text: `UPDATE media SET status = 'remote', leased_until = NULL WHERE id IN (
           SELECT id FROM media WHERE status = 'writing' AND origin = 'received' AND leased_until < now()
           ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED)`,
};

/** Gives up uploads of killed processes, and releases received files that killed processes were downloading. */
export async function giveUpUnfinished(pool: pg.Pool, step: number): Promise<void> {
  await pool.query({ ...GIVE_UP_UPLOADS, values: [step] });
  await pool.query({ ...RELEASE_RECEIVED, values: [step] });
}

const REMOVE_EXPIRED: PlannedStatement = {
  text: `UPDATE media SET status = 'removed', filename = NULL, carrier_media_id = NULL, sha256 = NULL, size = NULL,
           idempotency_key = NULL, next_look = NULL
         WHERE id IN (SELECT id FROM media WHERE id < $2::uuid AND status IN ('kept', 'remote') ORDER BY id LIMIT $1
                      FOR UPDATE SKIP LOCKED)`,
  patienceMs: LONG_TIMEOUT_MS,
};

export async function removeExpired(pool: pg.Pool, now: Date, days: number, step: number): Promise<number> {
  const { rowCount } = await pool.query({ ...REMOVE_EXPIRED, values: [step, idDaysAgo(now, days)] });
  return rowCount ?? 0;
}

const FIND_REMOVED: PlannedStatement = {
  text: `SELECT id FROM media WHERE status = 'removed' AND (leased_until IS NULL OR leased_until < now())
         AND id > $1 ORDER BY id LIMIT $2`,
};

export async function findRemoved(pool: pg.Pool, after: string, step: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>({ ...FIND_REMOVED, values: [after, step] });
  return rows.map(({ id }) => id);
}

/** Keeps the row while a process may still write the file's bytes, so that a later sweep removes them. */
const DELETE_ROW: PlannedStatement = {
  text: "DELETE FROM media WHERE id = $1 AND status = 'removed' AND (leased_until IS NULL OR leased_until < now())",
};

export async function deleteRow(pool: pg.Pool, id: string): Promise<void> {
  await pool.query({ ...DELETE_ROW, values: [id] });
}
