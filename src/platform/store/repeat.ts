import { setTimeout as pause } from 'node:timers/promises';
import { findReason } from '../log/failure-log.js';
import { isRetryable, isTransient } from './failures.js';

const MAX_TRIES = 5;

/** @param mayRepeat by default, accepts failures that a retry may avoid, such as deadlocks */
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
  pauseMs: number;
  /** Whether to give up after an error instead of waiting for the store. */
  isStopping(error: unknown): boolean;
  /** Called before a retry, unless the previous attempt failed for the same reason. */
  onFailure(error: unknown): void;
}

/** The work must do nothing if an earlier attempt was committed, because the outcome of an attempt may be unknown. */
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
