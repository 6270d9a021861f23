import { Type } from '@sinclair/typebox';

/** In an answer of 402: what the request would cost and what is there. */
export const FundsShown = Type.Object(
  {
    needed: Type.Number({ description: 'What the request would cost, in units of the currency.' }),
    available: Type.Number({ description: 'The balance of the account.' }),
    currency: Type.String({ description: 'ISO 4217.' }),
  },
  { description: 'With 402 alone.' },
);
