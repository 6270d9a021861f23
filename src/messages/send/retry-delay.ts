import { backoffMs, withJitter } from '../../platform/background/backoff.js';

const DELAYS = { firstMs: 1_000, longestMs: 300_000 };
const JITTER = 0.2;

/**
 * Milliseconds before the try that follows a failed one: 1, 2, 4 … 300 s, ±20 %.
 * @param attempt the attempt that failed, from 1
 * @param random a number from 0 up to 1
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  return Math.round(withJitter(backoffMs(attempt, DELAYS), JITTER, random));
}
