import { AppError, type FieldProblem } from './app-error.js';

/** Maximum number of problems per error; a list of 10,000 bad numbers would not help. */
const MAX_REPORTED = 10;

/** A problem with a fixed sentence that replaces the field's name and the rule. */
export interface WordedProblem extends FieldProblem {
  sentence?: string;
}

/**
 * Creates a 400 error about one or more fields.
 * @param problems at least one; only the first ten are listed, the rest are counted
 */
export function invalidFields(problems: readonly WordedProblem[]): AppError {
  const reported = problems.slice(0, MAX_REPORTED);
  const sentences = reported.map(({ field, rule, sentence }) => sentence ?? `${field} ${rule}`);
  if (problems.length > reported.length) sentences.push(`and ${problems.length - reported.length} more`);
  const fields = reported.map(({ field, rule, sentence }) => ({ field, rule: sentence ?? rule }));
  return new AppError('INVALID_REQUEST', sentences.join('; '), fields);
}

/**
 * Checks that a value is one of the allowed words. Adds a problem otherwise. Returns null for an empty or invalid
 * value.
 */
export function parseChoice<T extends string>(
  field: string,
  value: string | undefined,
  allowed: readonly T[],
  problems: FieldProblem[],
): T | null {
  if (!value) return null;
  const match = allowed.find((each) => each === value);
  if (!match) problems.push({ field, rule: `must be one of ${allowed.join(', ')}` });
  return match ?? null;
}

/** Returns whether a text has more Unicode code points than a limit. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > limit;
}

/**
 * Matches a visible character, in a regular expression with the `u` flag. Excludes white space, control characters, and
 * invisible ones (Unicode's Default_Ignorable_Code_Point, such as zero-width spaces, and the empty Braille pattern).
 */
export const NOT_BLANK = '[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]';
const READABLE = new RegExp(NOT_BLANK, 'u');

/** Returns whether a text is empty or contains only white space and invisible characters. */
export function isBlank(text: string): boolean {
  return !READABLE.test(text);
}

/** Quotes a text for an error message, and shortens it if it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 32 ? `${[...text.slice(0, 33)].slice(0, 32).join('')}…` : text);
}
