import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';

/** Only one process migrates a database at a time: first our lock, then the one that `prisma migrate` takes. */
const LOCKS = [0x68656c69, 72707369];
const ASK_EVERY_MS = 200;
const SAY_EVERY_MS = 10_000;

/**
 * Lets nobody else migrate the database until the connection ends; while the script of a dead process still runs in
 * PostgreSQL, its lock is held too. Waits as long as another migrates, and says for whom.
 *
 * It asks again and again rather than wait in PostgreSQL: an index that is made concurrently waits for every statement
 * that began before, and so for one that waits for this lock, which would be a deadlock.
 */
export async function lockMigrations(client: pg.Client, log?: Logger): Promise<void> {
  let saidAt = Number.NEGATIVE_INFINITY;
  for (const lock of LOCKS) {
    while (!(await tryLock(client, lock))) {
      if (performance.now() - saidAt >= SAY_EVERY_MS) {
        log?.info(`Another process migrates the database${await whoHolds(client, lock)}; waiting for it`);
        saidAt = performance.now();
      }
      await pause(ASK_EVERY_MS);
    }
  }
}

async function tryLock(client: pg.Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [lock]);
  return rows[0]?.taken === true;
}

async function whoHolds(client: pg.Client, lock: number): Promise<string> {
  const { rows } = await client.query<{ pid: number; since: number }>(
    `SELECT l.pid, extract(epoch FROM now() - a.query_start)::int AS since
     FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = $1
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    [lock],
  );
  return rows[0] ? ` (process ${rows[0].pid} of PostgreSQL, in one statement for ${rows[0].since} s)` : '';
}
