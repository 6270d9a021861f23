import { withJitter } from '../../../platform/background/backoff.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits before each retry, in milliseconds; after the last one an event is given up. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Share by which a wait is lengthened or shortened at random, so that what failed together is not retried together. */
const JITTER = 0.1;

/**
 * The wait before the next try, in milliseconds.
 * @param failures how often the event has failed since it was queued, at least 1
 * @returns null when it is to be given up
 */
export function retryDelayMs(failures: number, random: () => number = Math.random): number | null {
  const delay = RETRY_DELAYS_MS[failures - 1];
  return delay === undefined ? null : Math.round(withJitter(delay, JITTER, random));
}

/** How long every delivery of a webhook may fail before it is disabled, in business time. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR_MS;

/** How long the old secret signs beside the new one, in business time. */
export const ROTATION_OVERLAP_MS = 24 * HOUR_MS;
