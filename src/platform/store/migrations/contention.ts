import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { sqlState } from '../failures.js';

const PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 5000;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

/** Whether a statement failed because others held a lock that it wanted. */
export function isContended(error: unknown): boolean {
  const state = sqlState(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK_DETECTED;
}

/**
 * Runs work again, after longer and longer pauses, as long as others hold a lock that it wants.
 * @param patienceMs after which it is given up
 * @param onWait called once, when it is first found held
 * @throws what the work throws, also that of a lock that was not to be had in time
 */
export async function untilLocked<T>(
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

/** Longer than PostgreSQL waits (deadlock_timeout, a second) before it ends a vacuum of its own that stands in somebody's way. */
const VACUUM_ENDS_MS = 2_500;

/**
 * Has PostgreSQL end a vacuum that it began by itself on a table, and keeps others away until the transaction ends: any lock that
 * is wanted for a shorter time than that would never be had beside it. It shuts out nobody who reads or writes, and nobody waits
 * behind it.
 * @param lockTimeoutMs for which the statements that follow wait for a lock
 */
export async function keepVacuumAway(client: pg.ClientBase, table: string, lockTimeoutMs: number): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${VACUUM_ENDS_MS}`);
  await client.query(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
}

/**
 * Runs work in a transaction whose statements wait for no lock longer than `lockTimeoutMs`: while one waits for a lock that
 * shuts others out, every later statement on the table waits behind it.
 * @throws what the work throws, after its transaction was rolled back
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
