import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';

/** Heliograph's advisory lock, followed by the lock of `prisma migrate`. */
const LOCKS = [0x68656c69, 72707369];
const POLL_INTERVAL_MS = 200;
const REPORT_INTERVAL_MS = 10_000;

/**
 * Holds the migration locks until the connection ends. PostgreSQL keeps the locks of a dead process until the process's last
 * script has finished.
 *
 * Polls for the locks: a wait inside PostgreSQL would cause a deadlock with CREATE INDEX CONCURRENTLY, which waits for all
 * earlier statements.
 */
export async function lockMigrations(client: pg.Client, log?: Logger): Promise<void> {
  let loggedAt = Number.NEGATIVE_INFINITY;
  for (const lock of LOCKS) {
    while (!(await tryLock(client, lock))) {
      if (performance.now() - loggedAt >= REPORT_INTERVAL_MS) {
        log?.info(`Another process is migrating the database${await describeHolder(client, lock)}; waiting for it`);
        loggedAt = performance.now();
      }
      await pause(POLL_INTERVAL_MS);
    }
  }
}

async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ isLocked: boolean }>('SELECT pg_try_advisory_lock($1) AS "isLocked"', [lock]);
  return rows[0]?.isLocked === true;
}

async function describeHolder(client: pg.Client, lock: number): Promise<string> {
  const { rows } = await client.query<{ pid: number; since: number }>(
    `SELECT l.pid, extract(epoch FROM now() - a.query_start)::int AS since
     FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [lock],
  );
  return rows[0] ? ` (PostgreSQL process ${rows[0].pid}, in its current statement for ${rows[0].since} s)` : '';
}
