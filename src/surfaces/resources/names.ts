import { Type } from '@sinclair/typebox';
import { RULE } from '../http/validation.js';

/**
 * The name that somebody gives to a thing, such as a group or a campaign: not blank, of one line.
 * @param limit most characters, counted as Unicode code points
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
