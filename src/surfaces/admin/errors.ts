import { type TProperties, Type } from '@sinclair/typebox';
import { defineErrorResponses } from '../http/error-responses.js';
import type { ErrorRenderer } from '../http/errors.js';
import { errorBody, missingFieldExample, renderError } from '../http/schemas/errors.js';
import { FundsSchema } from '../http/schemas/funds.js';

const FIELD_DESCRIPTIONS = {
  message: 'A message for the operator.',
  field: 'Path of the field, for example `name` or `grants[0].role`.',
};

const errorSchema = (more: TProperties) =>
  Type.Object({ error: errorBody(FIELD_DESCRIPTIONS, more) }, { examples: [{ error: missingFieldExample('name') }] });

/** `details` lists the invalid fields, if there are any. */
const AdminError = errorSchema({});
const AdminErrorFunded = errorSchema({ funds: Type.Optional(FundsSchema) });

export const renderAdmin: ErrorRenderer = (error) => ({ error: renderError(error) });

const DESCRIPTIONS = {
  400: 'The request is invalid; nothing was changed.',
  401: 'Nobody is signed in, or the session has ended.',
  403: 'The role of the operator does not allow it, or the request comes from another origin.',
  409: 'The resource already exists or is in another state.',
};

export const adminErrors = defineErrorResponses(
  { schema: AdminError, funded: AdminErrorFunded, render: renderAdmin },
  DESCRIPTIONS,
);

export type ErrorStatus = Parameters<typeof adminErrors>[0][number];
