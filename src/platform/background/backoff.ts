export interface BackoffOptions {
  /** Milliseconds of the first delay. */
  firstMs: number;
  longestMs: number;
  /** By which each delay is longer than the one before; 2 unless told. */
  factor?: number;
}

/**
 * The delay before the next try, in milliseconds: each is longer than the one before, up to the longest.
 * @param failures in a row, at least 1
 */
export function backoffMs(failures: number, { firstMs, longestMs, factor = 2 }: BackoffOptions): number {
  return Math.min(longestMs, firstMs * factor ** (failures - 1));
}

/**
 * A delay, lengthened or shortened at random, so that what failed together is not tried again together.
 * @param share by which it may be longer or shorter, e.g. 0.2 for ±20 %
 * @param random a number from 0 up to 1
 */
export function withJitter(delayMs: number, share: number, random: () => number = Math.random): number {
  return delayMs * (1 - share + 2 * share * random());
}
