import { AppError } from '../../platform/errors/app-error.js';

export const CODE_LIFETIME_SECONDS = 600;
/** Period to which `MAX_SENDS` and `MAX_CHECKS` apply. */
export const WINDOW_SECONDS = 600;
export const MAX_SENDS = 5;
export const MAX_CHECKS = 5;
export const MIN_DIGITS = 4;
export const MAX_DIGITS = 10;
export const DEFAULT_DIGITS = 6;

/**
 * Adds `now` to the recent times, which are ordered oldest first.
 * @throws {AppError} RATE_LIMITED if the limit is reached, with the seconds until the oldest event expires
 */
export function addWithinLimit(times: readonly Date[], now: Date, max: number, events: string): Date[] {
  const recent = times.filter((time) => time.getTime() > now.getTime() - WINDOW_SECONDS * 1000);
  const oldest = recent.at(-max);
  if (!oldest) return [...recent, now];
  const retryAfterSeconds = Math.max(1, Math.ceil((oldest.getTime() - now.getTime()) / 1000 + WINDOW_SECONDS));
  const message = `Only ${max} ${events} per recipient are allowed in ten minutes; try again in ${retryAfterSeconds} s.`;
  throw new AppError('RATE_LIMITED', message, [], { retryAfterSeconds });
}
