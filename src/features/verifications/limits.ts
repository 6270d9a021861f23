import { AppError } from '../../platform/errors/app-error.js';

/** Seconds for which a code lives. */
export const LIFE_SECONDS = 600;
/** Seconds in which a recipient has so many sends, and so many checks, at the most. */
export const WINDOW_SECONDS = 600;
export const MOST_SENDS = 5;
export const MOST_CHECKS = 5;
export const MIN_DIGITS = 4;
export const MAX_DIGITS = 10;
export const DEFAULT_DIGITS = 6;

/**
 * The times that count, with one more.
 * @param times of earlier ones, oldest first
 * @throws {AppError} RATE_LIMITED, where there are as many as there may be, with the seconds until the oldest counts no more
 */
export function oneMore(times: readonly Date[], now: Date, most: number, what: string): Date[] {
  const counting = times.filter((time) => time.getTime() > now.getTime() - WINDOW_SECONDS * 1000);
  const oldest = counting.at(-most);
  if (!oldest) return [...counting, now];
  const retryAfterSeconds = Math.max(1, Math.ceil((oldest.getTime() - now.getTime()) / 1000 + WINDOW_SECONDS));
  const message = `Only ${most} ${what} of one recipient are taken in ten minutes; try again in ${retryAfterSeconds} s.`;
  throw new AppError('RATE_LIMITED', message, [], { retryAfterSeconds });
}
