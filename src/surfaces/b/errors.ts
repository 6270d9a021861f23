import { type TProperties, Type } from '@sinclair/typebox';
import { ERROR_STATUS } from '../../platform/errors/app-error.js';
import { ERROR_DESCRIPTIONS, errorResponses } from '../http/error-responses.js';
import type { ErrorRenderer } from '../http/errors.js';
import { FundsShown } from '../http/schemas/funds.js';

const errorB = (more: TProperties) =>
  Type.Object(
    {
      success: Type.Literal(false),
      error: Type.Object({
        code: Type.Unsafe<string>({ type: 'string', enum: Object.keys(ERROR_STATUS) }),
        message: Type.String({ description: 'What is wrong: the field and the rule that it breaks.' }),
        details: Type.Optional(
          Type.Array(
            Type.Object({
              field: Type.String({ description: 'Path of the field, e.g. `phone` or `components[0].type`.' }),
              message: Type.String({ description: 'The rule that it breaks.' }),
            }),
          ),
        ),
        ...more,
      }),
    },
    {
      examples: [
        {
          success: false,
          error: {
            code: 'INVALID_REQUEST',
            message: 'phone is required',
            details: [{ field: 'phone', message: 'is required' }],
          },
        },
      ],
    },
  );

/** Error body of Surface B: `details` lists each bad field and why, where fields are to blame. */
export const ErrorB = errorB({});
const ErrorBFunded = errorB({ funds: Type.Optional(FundsShown) });

export const renderSurfaceB: ErrorRenderer = ({ code, message, fields, funds }) => ({
  success: false,
  error: {
    code,
    message,
    ...(fields.length > 0 && { details: fields.map(({ field, rule }) => ({ field, message: rule })) }),
    ...(funds && { funds }),
  },
});

const DESCRIPTIONS = {
  ...ERROR_DESCRIPTIONS,
  400: 'The request is invalid; nothing was changed.',
  401: 'A header is missing, or the key or its secret is invalid.',
  403: 'The key is not bound to the channel or lacks the scope, or its account is switched off.',
  409: 'The resource exists already, or is in another state.',
} as const;

export type ErrorStatus = keyof typeof DESCRIPTIONS;

const SHAPE = { schema: ErrorB, funded: ErrorBFunded, render: renderSurfaceB, descriptions: DESCRIPTIONS };

/** The responses of an endpoint that are errors. */
export const errorsB = (statuses: readonly ErrorStatus[]) => errorResponses(SHAPE, statuses);
