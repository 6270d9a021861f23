import { type TProperties, Type } from '@sinclair/typebox';
import { defineErrorResponses } from '../http/error-responses.js';
import type { ErrorRenderer } from '../http/errors.js';
import { errorBody, missingFieldExample, renderError } from '../http/schemas/errors.js';
import { FundsSchema } from '../http/schemas/funds.js';

const FIELD_DESCRIPTIONS = {
  message: 'The field and the rule that it breaks.',
  field: 'Path of the field, for example `phone` or `components[0].type`.',
};

const errorB = (more: TProperties) =>
  Type.Object(
    { success: Type.Literal(false), error: errorBody(FIELD_DESCRIPTIONS, more) },
    { examples: [{ success: false, error: missingFieldExample('phone') }] },
  );

const ErrorB = errorB({});
const ErrorBFunded = errorB({ funds: Type.Optional(FundsSchema) });

export const renderSurfaceB: ErrorRenderer = (error) => ({ success: false, error: renderError(error) });

const DESCRIPTIONS = {
  400: 'The request is invalid; nothing was changed.',
  401: 'A header is missing, or the key or its secret is invalid.',
  403: 'The key is not bound to the channel or lacks the scope, or its account is disabled.',
  409: 'The resource already exists or is in another state, or a resource created with this Idempotency-Key was deleted.',
};

export const errorsB = defineErrorResponses(
  { schema: ErrorB, funded: ErrorBFunded, render: renderSurfaceB },
  DESCRIPTIONS,
);

export type ErrorStatus = Parameters<typeof errorsB>[0][number];
