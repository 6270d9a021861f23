import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** Audit action of a scheduled backup. The next backup is due relative to the latest one. */
export const BACKUP_ACTION = 'backup.take';

export interface LastBackup {
  /** Seconds since 1970 when it was complete, by PostgreSQL's clock. */
  at: number;
  /** Its age by the same clock. */
  ageSeconds: number;
  file: string;
}

const FIND_LAST_BACKUP: PlannedStatement = {
  text: `SELECT extract(epoch FROM at)::float8 AS at, greatest(0, extract(epoch FROM now() - at))::float8 AS "ageSeconds",
           subject AS file
         FROM audit_log WHERE action = '${BACKUP_ACTION}' ORDER BY id DESC LIMIT 1`,
};

/** Returns null if there is none. After a restore, backups older than the restored one still count. */
export async function readLastBackup(pool: Pick<pg.Pool, 'query'>): Promise<LastBackup | null> {
  const { rows } = await pool.query<LastBackup>({ ...FIND_LAST_BACKUP });
  return rows[0] ?? null;
}

/** Tries to lock scheduled backups for this connection, until it closes. */
export async function tryLockBackups(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(hashtextextended('heliograph scheduled backup', 0)) AS locked`,
  );
  return rows[0]?.locked ?? false;
}
