import { Type } from '@sinclair/typebox';
import { Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';

const Kind = Type.Unsafe<'sms' | 'whatsapp'>({
  type: 'string',
  enum: ['sms', 'whatsapp'],
  [RULE]: 'must be sms or whatsapp',
});

/** An amount as it is entered: text, so that no decimal is lost. */
export const AmountText = Type.String({
  maxLength: 30,
  description: 'In units of the currency, with at most six decimals.',
  examples: ['0.015'],
  [RULE]: 'must be an amount such as 0.015, as text',
});

export const RateCardData = Type.Object({
  id: Type.String({ examples: ['standard'] }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  accountCount: Type.Integer({ description: 'How many accounts go by it.' }),
  createdAt: Timestamp,
  prices: Type.Array(
    Type.Object({
      kind: Kind,
      callingCode: Type.Union([Type.String(), Type.Null()], { description: 'Null: the default of the card.' }),
      price: Type.String({ description: 'Of one SMS part or WhatsApp message.', examples: ['0.015'] }),
    }),
    { description: 'By kind and calling code, the default first.' },
  ),
});

export const NewRateCardBody = Type.Object({
  id: Type.String({ maxLength: 100, examples: ['euro'], description: 'Lower-case letters, digits, `-` and `_`.' }),
  currency: Type.String({ maxLength: 100, examples: ['EUR'] }),
  sms: AmountText,
  whatsapp: AmountText,
});

export const RateCardPath = Type.Object({ card: Type.String({ description: 'Id of the rate card.' }) });

export const PriceBody = Type.Object({
  kind: Kind,
  callingCode: Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
    description: 'Null: the default of the card.',
    examples: ['49'],
  }),
  price: AmountText,
});

export const PricePath = Type.Object({
  card: Type.String({ description: 'Id of the rate card.' }),
  kind: Kind,
  callingCode: Type.String({ description: 'Digits.' }),
});
