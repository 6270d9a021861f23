import { type TProperties, Type } from '@sinclair/typebox';
import { ERROR_STATUS } from '../../../platform/errors/app-error.js';
import type { PublicError } from '../errors.js';

export function errorBody(descriptions: { message: string; field: string }, more: TProperties) {
  return Type.Object({
    code: Type.Unsafe<string>({ type: 'string', enum: Object.keys(ERROR_STATUS) }),
    message: Type.String({ description: descriptions.message }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          field: Type.String({ description: descriptions.field }),
          message: Type.String({ description: 'The broken rule.' }),
        }),
      ),
    ),
    ...more,
  });
}

export function renderError({ code, message, fields, funds }: PublicError) {
  return {
    code,
    message,
    ...(fields.length > 0 && { details: fields.map(({ field, rule }) => ({ field, message: rule })) }),
    ...(funds && { funds }),
  };
}

export function missingFieldExample(field: string) {
  return {
    code: 'INVALID_REQUEST',
    message: `${field} is required`,
    details: [{ field, message: 'is required' }],
  };
}
