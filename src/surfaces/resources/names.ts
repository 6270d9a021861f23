import { Type } from '@sinclair/typebox';
import { RULE } from '../http/validation.js';

/**
 * One line, not blank.
 * @param limit in Unicode code points
 */
export function nameSchema(limit: number, example: string) {
  return Type.String({
    minLength: 1,
    maxLength: limit,
    pattern: '^(?=.*\\S)\\P{Cc}*$',
    examples: [example],
    [RULE]: `must be a text of 1 to ${limit} characters without control characters`,
  });
}
