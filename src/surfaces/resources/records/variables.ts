import { Type } from '@sinclair/typebox';
import { VARIABLE_NAME } from '../../../features/placeholders/placeholders.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { RULE } from '../../http/validation.js';

const MAX_VARIABLES = 50;
const MAX_VARIABLE_LENGTH = 4096;

export const Variables = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: MAX_VARIABLES,
  additionalProperties: {
    type: 'string',
    maxLength: MAX_VARIABLE_LENGTH,
    [RULE]: `must be a string of at most ${MAX_VARIABLE_LENGTH} characters`,
  },
  description: 'Values of `{{variables.<name>}}` by name.',
  [RULE]: `must be an object with at most ${MAX_VARIABLES} string values`,
});

/** @throws {AppError} INVALID_REQUEST for a name that no placeholder can contain */
export function requireVariableNames(variables: Readonly<Record<string, string>>, field: string): void {
  if (Object.keys(variables).every((name) => VARIABLE_NAME.test(name))) return;
  throw invalidField(field, 'must have names of 1 to 64 letters, digits and underscores');
}
