import { type FieldProblem, invalidField } from './errors/app-error.js';

/** Date, time and zone of ISO 8601, as RFC 3339 §5.6 narrows it; seconds may be left out. */
const PATTERN = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

export const TIMESTAMP_RULE = 'must be an ISO 8601 timestamp with a time zone, such as 2026-12-01T08:00:00Z';

/** What the store takes for a moment as well: PostgreSQL has no year 0, and JavaScript writes others with a sign. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
export const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');

/** The moment that a text names, in the years 1 to 9999 (UTC); null when it names none. */
export function readTimestamp(text: string): Date | null {
  const [, day] = PATTERN.exec(text) ?? [];
  const moment = new Date(text);
  // A 30 February would silently become 2 March.
  const real = day !== undefined && new Date(`${day}T00:00:00Z`).toJSON()?.startsWith(day);
  return real && moment.getTime() >= FIRST && moment.getTime() <= LAST_MOMENT ? moment : null;
}

/**
 * The moment that a text in a body names.
 * @throws {AppError} INVALID_REQUEST naming the field when it names none
 */
export function parseTimestamp(text: string, field: string): Date {
  const moment = readTimestamp(text);
  if (!moment) throw invalidField(field, TIMESTAMP_RULE);
  return moment;
}

/** The moment that a filter names; null where there is none, and told among the problems where it names none. */
export function readTime(field: string, value: string | undefined, problems: FieldProblem[]): Date | null {
  if (!value) return null;
  const moment = readTimestamp(value);
  if (!moment) problems.push({ field, rule: TIMESTAMP_RULE });
  return moment;
}
