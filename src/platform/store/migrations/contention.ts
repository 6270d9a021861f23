import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { sqlState } from '../failures.js';

const PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 5000;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

/** Returns whether a statement failed because of a lock. */
export function isContended(error: unknown): boolean {
  const state = sqlState(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK_DETECTED;
}

/**
 * Retries work that fails because of a lock, with increasing pauses.
 * @param patienceMs how long to retry
 * @param onWait called after the first such failure
 * @throws the work's error, including the lock failure if time runs out
 */
export async function retryUntilLocked<T>(
  work: () => Promise<T>,
  { patienceMs, onWait }: { patienceMs: number; onWait(): void },
): Promise<T> {
  const start = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (cause) {
      const pauseMs = Math.min(PAUSE_MS * tries, LONGEST_PAUSE_MS);
      if (!isContended(cause) || performance.now() + pauseMs - start > patienceMs) throw cause;
      if (tries === 1) onWait();
      await pause(pauseMs);
    }
  }
}

/**
 * Longer than PostgreSQL waits (`deadlock_timeout`, one second) before it cancels an autovacuum that blocks a lock.
 */
const VACUUM_ENDS_MS = 2_500;

/**
 * Makes PostgreSQL cancel its autovacuum of a table, and prevents another until the transaction ends. Otherwise a lock
 * with a shorter timeout would never succeed during an autovacuum. Does not block readers or writers.
 * @param lockTimeoutMs for the statements that follow
 */
export async function preventVacuum(client: pg.ClientBase, table: string, lockTimeoutMs: number): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${VACUUM_ENDS_MS}`);
  await client.query(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
}

/**
 * Runs work in a transaction whose statements wait at most `lockTimeoutMs` for a lock. While a statement waits for a
 * lock that blocks others, all later statements on the table wait behind it.
 * @throws the work's error, after the rollback
 */
export async function inLockingTransaction<T>(
  client: pg.ClientBase,
  lockTimeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
