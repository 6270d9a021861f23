export interface BackoffOptions {
  firstMs: number;
  longestMs: number;
  /** Default: 2. */
  factor?: number;
}

export function backoffMs(failures: number, { firstMs, longestMs, factor = 2 }: BackoffOptions): number {
  return Math.min(longestMs, firstMs * factor ** (failures - 1));
}

/** @param share maximum deviation from the delay, for example 0.2 for ±20 % */
export function withJitter(delayMs: number, share: number, random: () => number = Math.random): number {
  return delayMs * (1 - share + 2 * share * random());
}
