import { withJitter } from '../../../platform/background/backoff.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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

/** Deliveries that failed together should not be retried together. */
const JITTER = 0.1;

/**
 * @param failures failed attempts since the delivery was queued, at least 1
 * @returns null if there is no further attempt
 */
export function retryDelayMs(failures: number, random: () => number = Math.random): number | null {
  const delay = RETRY_DELAYS_MS[failures - 1];
  return delay === undefined ? null : Math.round(withJitter(delay, JITTER, random));
}

/** A webhook is disabled when all deliveries have failed for this long, in business time. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR_MS;

/** How long the previous secret continues to sign, in business time. */
export const ROTATION_OVERLAP_MS = 24 * HOUR_MS;
