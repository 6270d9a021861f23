const MAX_DELAY_SECONDS = 300;

/**
 * Milliseconds before the try that follows a failed one: 1, 2, 4 … 300 s, ±20 %.
 * @param attempt the attempt that failed, from 1
 * @param random a number from 0 up to 1
 */
export function retryDelayMs(attempt: number, random: () => number): number {
  const seconds = Math.min(MAX_DELAY_SECONDS, 2 ** Math.min(attempt - 1, 30));
  return Math.round(seconds * 1000 * (0.8 + 0.4 * random()));
}
