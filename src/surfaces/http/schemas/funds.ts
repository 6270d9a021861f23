import { Type } from '@sinclair/typebox';

export const FundsSchema = Type.Object(
  {
    needed: Type.Number({ description: 'Cost of the request, in units of the currency.' }),
    available: Type.Number({ description: 'The balance of the account.' }),
    currency: Type.String({ description: 'ISO 4217.' }),
  },
  { description: 'Only with 402.' },
);
