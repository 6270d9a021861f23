import { type TProperties, Type } from '@sinclair/typebox';
import type { ErrorRenderer } from '../http/errors.js';
import { FundsSchema } from '../http/schemas/funds.js';

export const ErrorV1 = Type.Object(
  {
    status: Type.Literal('error'),
    message: Type.String({ description: 'The field and the rule that it breaks.' }),
    code: Type.String({ description: 'HTTP status as text.' }),
  },
  { examples: [{ status: 'error', message: 'to has an invalid phone number: "12ab"', code: '400' }] },
);

const errorV2 = (more: TProperties) =>
  Type.Object(
    {
      status: Type.Literal('error'),
      message: Type.String({ description: 'Every invalid field and the rule that it breaks.' }),
      code: Type.Integer({ description: 'HTTP status.' }),
      data: Type.Object({
        errors: Type.Array(
          Type.Object({
            field: Type.String({ description: 'Path of the field, e.g. `to[2]` or `template_data.type`.' }),
            message: Type.String({ description: 'The broken rule.' }),
          }),
        ),
        ...more,
      }),
    },
    {
      examples: [
        {
          status: 'error',
          message: 'priority must be an integer from 0 to 3',
          code: 400,
          data: { errors: [{ field: 'priority', message: 'must be an integer from 0 to 3' }] },
        },
      ],
    },
  );

export const ErrorV2 = errorV2({});
export const ErrorV2Funded = errorV2({ funds: Type.Optional(FundsSchema) });

export const renderV1: ErrorRenderer = ({ status, message }) => ({ status: 'error', message, code: String(status) });

export const renderV2: ErrorRenderer = ({ status, message, fields, funds }) => ({
  status: 'error',
  message,
  code: status,
  data: { errors: fields.map(({ field, rule }) => ({ field, message: rule })), ...(funds && { funds }) },
});
