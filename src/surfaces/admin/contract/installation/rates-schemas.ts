import { Type } from '@sinclair/typebox';
import { Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

const Kind = Type.Unsafe<'sms' | 'whatsapp'>({
  type: 'string',
  enum: ['sms', 'whatsapp'],
  [RULE]: 'must be sms or whatsapp',
});

/** The amount is a string, so that no decimals are lost. */
export const AmountText = Type.String({
  maxLength: 30,
  description: 'In units of the currency, with at most six decimals.',
  examples: ['0.015'],
  [RULE]: 'must be an amount such as 0.015, as text',
});

export const RateCardData = Type.Object({
  id: Type.String({ examples: ['standard'] }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  accountCount: Type.Integer({ description: 'Number of accounts that use it.' }),
  createdAt: Timestamp,
  prices: Type.Array(
    Type.Object({
      kind: Kind,
      callingCode: Type.Union([Type.String(), Type.Null()], { description: 'Null for the default price.' }),
      price: Type.String({ description: 'Price of one SMS part or WhatsApp message.', examples: ['0.015'] }),
    }),
    { description: 'Ordered by kind and calling code, default first.' },
  ),
});

export const NewRateCardBody = Type.Object({
  id: Type.String({ maxLength: 100, examples: ['euro'], description: 'Lower-case letters, digits, `-` and `_`.' }),
  currency: Type.String({ maxLength: 100, examples: ['EUR'] }),
  sms: AmountText,
  whatsapp: AmountText,
});

export const RateCardPath = Type.Object({ card: Type.String({ description: 'ID of the rate card.' }) });

export const PriceBody = Type.Object({
  kind: Kind,
  callingCode: Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
    description: 'Null for the default price.',
    examples: ['49'],
  }),
  price: AmountText,
});

export const PricePath = Type.Object({
  card: Type.String({ description: 'ID of the rate card.' }),
  kind: Kind,
  callingCode: Type.String({ description: 'Digits.' }),
});
