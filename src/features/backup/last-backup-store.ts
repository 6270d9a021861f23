import type pg from 'pg';
import type { PlannedStatement } from '../../platform/store/connections/pool.js';

/** The line that each scheduled backup leaves in the audit log, where the next one is reckoned from. */
export const BACKUP_TAKEN = 'backup.take';

/** The last scheduled backup. */
export interface LastBackup {
  /** When it was whole, in seconds since 1970, by PostgreSQL's clock. */
  at: number;
  /** How long that is ago, by the same clock. */
  ageSeconds: number;
  file: string;
}

const LAST: PlannedStatement = {
  text: `SELECT extract(epoch FROM at)::float8 AS at, greatest(0, extract(epoch FROM now() - at))::float8 AS "ageSeconds",
           subject AS file
         FROM audit_log WHERE action = '${BACKUP_TAKEN}' ORDER BY id DESC LIMIT 1`,
};

/** Null where there is none yet. A restored store knows those from before its own backup. */
export async function readLastBackup(pool: Pick<pg.Pool, 'query'>): Promise<LastBackup | null> {
  const { rows } = await pool.query<LastBackup>({ ...LAST });
  return rows[0] ?? null;
}

/** Whether this session is the one that takes scheduled backups, until its connection ends. */
export async function lockBackups(client: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_lock(hashtextextended('heliograph scheduled backup', 0)) AS locked`,
  );
  return rows[0]?.locked ?? false;
}
