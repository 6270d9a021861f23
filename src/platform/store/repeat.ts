import { setTimeout as pause } from 'node:timers/promises';
import { findReason } from '../log/failure-log.js';
import { isRetryable, isTransient } from './failures.js';

/** Maximum attempts of a transaction that PostgreSQL ends because of a deadlock. */
const MAX_TRIES = 5;

/**
 * Runs a transaction, or a single statement, and repeats it if PostgreSQL rolled it back in favor of another.
 * @param mayRepeat whether a retry may avoid the error. Default: deadlocks and similar.
 * @throws the error of the last attempt
 */
export async function retryTransaction<T>(
  attempt: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = isRetryable,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= MAX_TRIES || !mayRepeat(error)) throw error;
    }
  }
}

export interface RetryUntilKnownOptions {
  /** Milliseconds between two attempts. */
  pauseMs: number;
  /** Returns whether the caller stops waiting for an unreachable store, given the error of an attempt. */
  isStopping(error: unknown): boolean;
  /** Called for a failure that is followed by a retry; not repeated for the same reason in a row. */
  onFailure(error: unknown): void;
}

/**
 * Repeats work while it is unknown whether it was committed, or if PostgreSQL rolled it back in favor of another. The
 * work must do nothing if an earlier attempt was committed.
 * @throws any other error, and every error once the caller is stopping
 */
export async function retryUntilKnown<T>(work: () => Promise<T>, options: RetryUntilKnownOptions): Promise<T> {
  let reason: string | null = null;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || options.isStopping(error)) throw error;
      const newReason = findReason(error);
      if (newReason !== reason) options.onFailure(error);
      reason = newReason;
      await pause(options.pauseMs);
    }
  }
}
