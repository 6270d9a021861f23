import { type FieldProblem, invalidField } from './errors/app-error.js';

/** Timestamp format of RFC 3339 §5.6, except that seconds are optional. */
const PATTERN = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

export const TIMESTAMP_RULE = 'must be an ISO 8601 timestamp with a time zone, such as 2026-12-01T08:00:00Z';

/** PostgreSQL has no year 0, and JavaScript writes years above 9999 with a sign. */
const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00Z');
export const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns null for invalid timestamps and for years outside 1 to 9999 (UTC). */
export function readTimestamp(text: string): Date | null {
  const [, day] = PATTERN.exec(text) ?? [];
  const moment = new Date(text);
  // Without a check of the day, 30 February would silently become 2 March.
  const isRealDay = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  return isRealDay && moment.getTime() >= FIRST_MOMENT && moment.getTime() <= LAST_MOMENT ? moment : null;
}

/** @throws {AppError} INVALID_REQUEST */
export function parseTimestamp(text: string, field: string): Date {
  const moment = readTimestamp(text);
  if (!moment) throw invalidField(field, TIMESTAMP_RULE);
  return moment;
}

export function parseFilterTime(field: string, value: string | undefined, problems: FieldProblem[]): Date | null {
  if (!value) return null;
  const moment = readTimestamp(value);
  if (!moment) problems.push({ field, rule: TIMESTAMP_RULE });
  return moment;
}
