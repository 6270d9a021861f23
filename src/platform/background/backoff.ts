export interface BackoffOptions {
  /** Delay after the first failure, in milliseconds. */
  firstMs: number;
  longestMs: number;
  /** Each delay is this many times the previous one. Default: 2. */
  factor?: number;
}

/**
 * Returns the delay before the next attempt, in milliseconds.
 * @param failures in a row, at least 1
 */
export function backoffMs(failures: number, { firstMs, longestMs, factor = 2 }: BackoffOptions): number {
  return Math.min(longestMs, firstMs * factor ** (failures - 1));
}

/**
 * Randomizes a delay, so that work that failed together is not retried together.
 * @param share maximum deviation, for example 0.2 for ±20 %
 * @param random a number from 0 up to 1
 */
export function withJitter(delayMs: number, share: number, random: () => number = Math.random): number {
  return delayMs * (1 - share + 2 * share * random());
}
