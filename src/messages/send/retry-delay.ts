import { backoffMs, withJitter } from '../../platform/background/backoff.js';

const DELAYS = { firstMs: 1_000, longestMs: 300_000 };
const JITTER = 0.2;

/**
 * Returns 1, 2, 4 … 300 s, with a jitter of ±20 %.
 * @param attempt number of the failed attempt, from 1
 * @param random returns a number in [0, 1)
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  return Math.round(withJitter(backoffMs(attempt, DELAYS), JITTER, random));
}
