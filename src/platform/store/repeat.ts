import { setTimeout as pause } from 'node:timers/promises';
import { reasonOf } from '../log/said-once.js';
import { isTransient, worthRepeating } from './failures.js';

/** Tries of a transaction that PostgreSQL ends because two wait for each other. */
const MAX_TRIES = 5;

/**
 * Runs a transaction, or a statement that is one, again where PostgreSQL rolled it back for the sake of another.
 * @param mayRepeat which errors another try may not meet: deadlocks and the like unless told
 * @throws the error of the last try
 */
export async function repeated<T>(
  attempt: () => Promise<T>,
  mayRepeat: (error: unknown) => boolean = worthRepeating,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= MAX_TRIES || !mayRepeat(error)) throw error;
    }
  }
}

export interface UntilKnownOptions {
  /** Milliseconds between two tries. */
  pauseMs: number;
  /** Whether the caller no longer waits for a store that is away, after a try that failed with this error. */
  isStopping(error: unknown): boolean;
  /** Told of each failure that is followed by another try; of those in a row for the same reason, of the first. */
  onFailure(error: unknown): void;
}

/**
 * Repeats work for as long as it is unknown whether it was committed, or PostgreSQL rolled it back for the sake of
 * another: for work that does nothing a second time where the first was committed.
 * @throws any other error, and every error once the caller is stopping
 */
export async function untilKnown<T>(work: () => Promise<T>, options: UntilKnownOptions): Promise<T> {
  let reason: string | null = null;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || options.isStopping(error)) throw error;
      const next = reasonOf(error);
      if (next !== reason) options.onFailure(error);
      reason = next;
      await pause(options.pauseMs);
    }
  }
}
