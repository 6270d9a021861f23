import { AppError, type FieldProblem } from './app-error.js';

const MAX_REPORTED = 10;

export interface WordedProblem extends FieldProblem {
  /** Sentence that replaces the field's name and rule in the error message. */
  sentence?: string;
}

/** @param problems at least one problem; only the first ten are listed, and the rest are counted */
export function invalidFields(problems: readonly WordedProblem[]): AppError {
  const reported = problems.slice(0, MAX_REPORTED);
  const sentences = reported.map(({ field, rule, sentence }) => sentence ?? `${field} ${rule}`);
  if (problems.length > reported.length) sentences.push(`and ${problems.length - reported.length} more`);
  const fields = reported.map(({ field, rule, sentence, kind }) => ({
    field,
    rule: sentence ?? rule,
    ...(kind && { kind }),
  }));
  return new AppError('INVALID_REQUEST', sentences.join('; '), fields);
}

/** Returns null for an empty or unknown choice. */
export function parseChoice<T extends string>(
  field: string,
  value: string | undefined,
  allowed: readonly T[],
  problems: FieldProblem[],
): T | null {
  if (!value) return null;
  const match = allowed.find((choice) => choice === value);
  if (!match) problems.push({ field, rule: `must be one of ${allowed.join(', ')}` });
  return match ?? null;
}

/** Counts Unicode code points. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > 2 * limit) return true;
  let count = 0;
  for (const _ of text) count++;
  return count > limit;
}

/**
 * A visible character, for a regular expression with the `u` flag. Invisible characters are white space, control characters,
 * Unicode's Default_Ignorable_Code_Point and the empty Braille pattern.
 */
export const NOT_BLANK = '[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]';
const READABLE = new RegExp(NOT_BLANK, 'u');

/** Invisible characters count as blank. */
export function isBlank(text: string): boolean {
  return !READABLE.test(text);
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 32 ? `${[...text.slice(0, 33)].slice(0, 32).join('')}…` : text);
}
