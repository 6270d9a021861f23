import { AppError, type FieldProblem } from './app-error.js';

/** How many problems of one request are told; a list of 10,000 bad numbers would not help. */
const MAX_TOLD = 10;

/** A problem whose whole sentence is fixed, so that it is not made of the field's name and the rule. */
export interface WordedProblem extends FieldProblem {
  sentence?: string;
}

/**
 * A 400 about one or more fields.
 * @param problems at least one; beyond ten, the rest is only counted
 */
export function invalidFields(problems: readonly WordedProblem[]): AppError {
  const told = problems.slice(0, MAX_TOLD);
  const sentences = told.map(({ field, rule, sentence }) => sentence ?? `${field} ${rule}`);
  if (problems.length > told.length) sentences.push(`and ${problems.length - told.length} more`);
  const fields = told.map(({ field, rule, sentence }) => ({ field, rule: sentence ?? rule }));
  return new AppError('INVALID_REQUEST', sentences.join('; '), fields);
}

/** One of some words; null where there is none, and told where it is another. */
export function oneOf<T extends string>(
  field: string,
  value: string | undefined,
  known: readonly T[],
  problems: FieldProblem[],
): T | null {
  if (!value) return null;
  const found = known.find((each) => each === value);
  if (!found) problems.push({ field, rule: `must be one of ${known.join(', ')}` });
  return found ?? null;
}

/** Whether a text has more Unicode code points than a limit. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > limit;
}

/**
 * Pattern of a text that has something to read, for a regular expression with the flag `u`: a character that is neither white
 * space nor a control character, and that is not invisible by itself (Unicode's Default_Ignorable_Code_Point: zero-width
 * spaces and joiners, soft hyphens, fillers; and the empty Braille pattern).
 */
export const NOT_BLANK = '[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]';
const READABLE = new RegExp(NOT_BLANK, 'u');

/** Whether a text has nothing to read: it is empty, or of white space and invisible characters only. */
export function isBlank(text: string): boolean {
  return !READABLE.test(text);
}

/** A text from a request as it may stand in an error message: quoted, and cut when it is long. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 32 ? `${[...text.slice(0, 33)].slice(0, 32).join('')}…` : text);
}
