import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { getSqlState } from '../failures.js';

const PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 5000;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

export function isContended(error: unknown): boolean {
  const state = getSqlState(error);
  return state === LOCK_NOT_AVAILABLE || state === DEADLOCK_DETECTED;
}

export async function retryUntilLocked<T>(
  work: () => Promise<T>,
  { patienceMs, onWait }: { patienceMs: number; onWait(): void },
): Promise<T> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (cause) {
      const pauseMs = Math.min(PAUSE_MS * tries, LONGEST_PAUSE_MS);
      if (!isContended(cause) || performance.now() + pauseMs - startedAt > patienceMs) throw cause;
      if (tries === 1) onWait();
      await pause(pauseMs);
    }
  }
}

/** Longer than `deadlock_timeout`, after which PostgreSQL cancels an autovacuum that blocks a lock. */
const VACUUM_CANCEL_MS = 2_500;

/**
 * Stops autovacuum on the table, because a lock with a short timeout would never succeed during an autovacuum. Does not block
 * writers.
 */
export async function preventVacuum(client: pg.ClientBase, table: string, lockTimeoutMs: number): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${VACUUM_CANCEL_MS}`);
  await client.query(`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
}

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
