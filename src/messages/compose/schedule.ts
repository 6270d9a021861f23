import type { FieldProblem } from '../../platform/errors/app-error.js';
import { readTimestamp, TIMESTAMP_RULE } from '../../platform/timestamps.js';

export const MAX_SCHEDULE_DAYS = 30;
/** A scheduled time up to this far in the past counts as now, because clocks differ and requests take time. */
export const PAST_TOLERANCE_MS = 60_000;
export const MIN_VALIDITY_SECONDS = 1;
export const MAX_VALIDITY_SECONDS = 7 * 24 * 60 * 60;

export const SCHEDULE_RULE = `${TIMESTAMP_RULE}, not past and at most ${MAX_SCHEDULE_DAYS} days ahead`;

export const VALID_UNTIL_RULE = `${TIMESTAMP_RULE}, later than now and than scheduled_at`;

/**
 * Limits `valid_until` to the longest validity.
 * @param startsAt when the message may be sent
 * @param problems receives rule violations
 */
export function planValidUntil(
  { valid_until, validity_period }: { valid_until?: string; validity_period?: number },
  startsAt: Date,
  problems: FieldProblem[],
): Date | undefined {
  if (valid_until === undefined) return undefined;
  const moment = readTimestamp(valid_until);
  const field = 'valid_until';
  if (!moment || moment <= startsAt) problems.push({ field, rule: VALID_UNTIL_RULE });
  else if (validity_period !== undefined)
    problems.push({ field, rule: 'must not be sent together with validity_period' });
  else return new Date(Math.min(moment.getTime(), startsAt.getTime() + MAX_VALIDITY_SECONDS * 1000));
  return undefined;
}

/** @param problems receives rule violations */
export function planSchedule(text: string | undefined, now: Date, problems: FieldProblem[]): Date | undefined {
  if (text === undefined) return undefined;
  const moment = readTimestamp(text);
  const aheadMs = moment ? moment.getTime() - now.getTime() : Number.NaN;
  if (moment && aheadMs > 0 && aheadMs <= MAX_SCHEDULE_DAYS * 24 * 60 * 60 * 1000) return moment;
  if (!(aheadMs <= 0 && aheadMs >= -PAST_TOLERANCE_MS)) problems.push({ field: 'scheduled_at', rule: SCHEDULE_RULE });
  return undefined;
}
