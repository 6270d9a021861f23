import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

export const BACKUP_ACTION = 'backup.take';

export interface LastBackup {
  /** PostgreSQL's Unix time. */
  at: number;
  /** By PostgreSQL's clock. */
  ageSeconds: number;
  file: string;
}

const FIND_LAST_BACKUP: PlannedStatement = {
  text: `SELECT extract(epoch FROM at)::float8 AS at, greatest(0, extract(epoch FROM now() - at))::float8 AS "ageSeconds",
           subject AS file
         FROM audit_log WHERE action = '${BACKUP_ACTION}' ORDER BY id DESC LIMIT 1`,
};

/** Reads the audit log, so that a restored store still knows backups older than the restored one. */
export async function readLastBackup(pool: Pick<pg.Pool, 'query'>): Promise<LastBackup | null> {
  const { rows } = await pool.query<LastBackup>({ ...FIND_LAST_BACKUP });
  return rows[0] ?? null;
}

/** The lock lasts until the connection closes. */
export async function tryLockBackups(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(hashtextextended('heliograph scheduled backup', 0)) AS locked`,
  );
  return rows[0]?.locked ?? false;
}
