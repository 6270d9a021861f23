import { Type } from '@sinclair/typebox';
import { Id, NullableText, Timestamp } from '../../../http/schemas/values.js';
import { AmountText } from '../installation/rates-schemas.js';

export const AccountSettingsData = Type.Object({
  id: Id,
  name: Type.String(),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  balance: Type.String({ examples: ['12.34'] }),
  rateCard: Type.String({ examples: ['standard'] }),
  isActive: Type.Boolean({ description: 'False: its keys are refused, its campaigns and automations wait.' }),
  lowBalance: Type.Union([Type.String(), Type.Null()], {
    description: 'Its webhooks are told when the balance falls below it; null: they are not.',
    examples: ['5.00'],
  }),
  senderIds: Type.Array(Type.String(), { description: 'That its SMS may have; none: any.' }),
  defaultCountry: Type.Union([Type.String(), Type.Null()], {
    description:
      'ISO 3166 code of the country by whose numbering plan Surface A reads recipients; null: they have a country code.',
    examples: ['DE'],
  }),
  createdAt: Timestamp,
});

export const AccountDefaultsData = Type.Object({
  countries: Type.Array(Type.String(), {
    description: 'Those of NEW_ACCOUNT_COUNTRIES, by their ISO 3166 codes; none: any.',
    examples: [['DE']],
  }),
});

export const NewAccountBody = Type.Object({
  name: Type.String({ maxLength: 200, examples: ['Lighthouse'] }),
  rateCard: Type.Optional(Type.String({ maxLength: 100, description: '`standard` unless told.' })),
  countries: Type.Optional(
    Type.Array(Type.String({ maxLength: 20 }), {
      maxItems: 1000,
      description:
        'That it may send to, by their ISO 3166 codes; none, or `any` alone: any. Those of NEW_ACCOUNT_COUNTRIES unless told.',
    }),
  ),
});

/** What the owners of an account change of it. */
export const OwnSettingsBody = Type.Object({
  lowBalance: Type.Union([AmountText, Type.Null()], { description: 'Null ends the notices.' }),
});

/** What the operators of the installation change of an account; what is left out stays. */
export const AccountChangeBody = Type.Object({
  isActive: Type.Optional(Type.Boolean()),
  senderIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1000, description: 'That its SMS may have; none: any.' }),
  ),
  rateCard: Type.Optional(Type.String({ maxLength: 100, description: 'Of the same currency.' })),
  defaultCountry: Type.Optional(
    Type.Union([Type.String({ maxLength: 20, examples: ['DE'] }), Type.Null()], {
      description: 'ISO 3166 code. Null: recipients of Surface A are written with their country code.',
    }),
  ),
});

export const CreditBody = Type.Object({
  amount: AmountText,
  note: Type.Optional(Type.String({ maxLength: 500, description: 'Kept in the ledger.' })),
});

export const CorrectionBody = Type.Object({
  amount: AmountText,
  note: Type.String({ maxLength: 500, description: 'Why; kept in the ledger.' }),
});

export const CreditData = Type.Object({
  ledgerEntryId: Id,
  amount: Type.String({ examples: ['100.00'] }),
  balance: Type.String({ examples: ['112.34'] }),
  currency: Type.String({ examples: ['USD'] }),
});

export const LedgerKind = Type.Unsafe<'credit' | 'charge' | 'refund'>({
  type: 'string',
  enum: ['credit', 'charge', 'refund'],
});

export const LedgerEntryData = Type.Object({
  id: Id,
  kind: LedgerKind,
  amount: Type.String({ description: 'Negative for charges.', examples: ['-0.01'] }),
  balanceAfter: Type.String({ examples: ['12.33'] }),
  messageCount: Type.Integer({ description: 'How many messages it is for.' }),
  note: NullableText,
  createdAt: Timestamp,
});

/** What a step of cancelling has canceled. */
export const CanceledWaiting = Type.Object({
  messages: Type.Integer({ description: 'Canceled by this request, and refunded.', examples: [2000] }),
  campaigns: Type.Array(Id, { description: 'That had not ended, and are canceled.' }),
  refunded: Type.String({ examples: ['20.00'] }),
  currency: Type.String({ examples: ['USD'] }),
  hasMore: Type.Boolean({ description: 'More may wait: ask again.' }),
});
