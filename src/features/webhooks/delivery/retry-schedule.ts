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

/** Random share of each delay, so that deliveries that failed together are not retried together. */
const JITTER = 0.1;

/** Returns the delay after `failures` failed attempts (at least 1), or null after the last attempt. */
export function retryDelayMs(failures: number, random: () => number = Math.random): number | null {
  const delay = RETRY_DELAYS_MS[failures - 1];
  return delay === undefined ? null : Math.round(withJitter(delay, JITTER, random));
}

/** A webhook is disabled after all its deliveries have failed for this long, in business time. */
export const FAILING_LIMIT_MS = 5 * 24 * HOUR_MS;

/** How long the previous secret is still used for signatures, in business time. */
export const ROTATION_OVERLAP_MS = 24 * HOUR_MS;
