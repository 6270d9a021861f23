import { type TProperties, Type } from '@sinclair/typebox';
import { errorsOf } from '../http/error-responses.js';
import type { ErrorRenderer } from '../http/errors.js';
import { errorBody, missingField, renderError } from '../http/schemas/errors.js';
import { FundsShown } from '../http/schemas/funds.js';

const WORDS = {
  message: 'What is wrong: the field and the rule that it breaks.',
  field: 'Path of the field, e.g. `phone` or `components[0].type`.',
};

const errorB = (more: TProperties) =>
  Type.Object(
    { success: Type.Literal(false), error: errorBody(WORDS, more) },
    { examples: [{ success: false, error: missingField('phone') }] },
  );

/** Error body of Surface B: `details` lists each bad field and why, where fields are to blame. */
const ErrorB = errorB({});
const ErrorBFunded = errorB({ funds: Type.Optional(FundsShown) });

export const renderSurfaceB: ErrorRenderer = (error) => ({ success: false, error: renderError(error) });

const DESCRIPTIONS = {
  400: 'The request is invalid; nothing was changed.',
  401: 'A header is missing, or the key or its secret is invalid.',
  403: 'The key is not bound to the channel or lacks the scope, or its account is switched off.',
  409: 'The resource exists already, or is in another state, or what the Idempotency-Key made was deleted.',
};

/** The responses of an endpoint that are errors. */
export const errorsB = errorsOf({ schema: ErrorB, funded: ErrorBFunded, render: renderSurfaceB }, DESCRIPTIONS);

export type ErrorStatus = Parameters<typeof errorsB>[0][number];
