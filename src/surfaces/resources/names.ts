import { Type } from '@sinclair/typebox';
import { RULE } from '../http/validation.js';

/**
 * A name is one line and must not be blank.
 * @param limit longest name in Unicode code points
 */
export function nameSchema(limit: number, example: string) {
  return Type.String({
    minLength: 1,
    maxLength: limit,
    pattern: '^(?=.*\\S)\\P{Cc}*$',
    examples: [example],
    [RULE]: `must be a string of 1 to ${limit} characters without control characters`,
  });
}
