import { Type } from '@sinclair/typebox';
import { STOP_SCOPES, type StopScope } from '../../../../accounts/account-settings.js';
import { CAP_DAYS, type FrequencyCap, MAX_CAP_MESSAGES } from '../../../../accounts/frequency-cap.js';
import { Id, NullableText, Timestamp } from '../../../http/schemas/values.js';
import { RULE } from '../../../http/validation.js';
import { AmountText } from '../installation/rates-schemas.js';

const StopScopeSchema = Type.Unsafe<StopScope>({
  type: 'string',
  enum: [...STOP_SCOPES],
  description: 'What a later STOP blocks: all messages, or only messages with the purpose `marketing`.',
  [RULE]: 'must be all or marketing',
});

const FrequencyCapSchema = Type.Union(
  [
    Type.Object({
      messages: Type.Integer({
        minimum: 1,
        maximum: MAX_CAP_MESSAGES,
        description: 'The most marketing messages per phone number, over all channels.',
        [RULE]: `must be a whole number from 1 to ${MAX_CAP_MESSAGES}`,
      }),
      days: Type.Unsafe<FrequencyCap['days']>({
        type: 'integer',
        enum: [...CAP_DAYS],
        description: '1: in the last 24 hours. 7: in the last 7 days.',
        [RULE]: 'must be 1 or 7',
      }),
    }),
    Type.Null(),
  ],
  { description: 'Null: no cap.' },
);

export const AccountSettingsData = Type.Object({
  id: Id,
  name: Type.String(),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  balance: Type.String({ examples: ['12.34'] }),
  rateCard: Type.String({ examples: ['standard'] }),
  isActive: Type.Boolean({ description: 'If false, its keys are refused and its campaigns and automations wait.' }),
  lowBalance: Type.Union([Type.String(), Type.Null()], {
    description: 'Webhooks are notified when the balance falls below this amount; null: never.',
    examples: ['5.00'],
  }),
  senderIds: Type.Array(Type.String(), { description: 'Allowed sender IDs of SMS; empty allows all.' }),
  defaultCountry: Type.Union([Type.String(), Type.Null()], {
    description:
      'ISO 3166 code of the country whose national numbers Surface A accepts; null: numbers need a country code.',
    examples: ['DE'],
  }),
  optOutLine: Type.Union([Type.String(), Type.Null()], {
    description: 'SMS campaigns append this line to the first message to a contact; null: no line.',
    examples: ['Reply STOP to opt out.'],
  }),
  stopScope: StopScopeSchema,
  frequencyCap: FrequencyCapSchema,
  createdAt: Timestamp,
});

export const AccountDefaultsData = Type.Object({
  countries: Type.Array(Type.String(), {
    description: 'ISO 3166 codes from NEW_ACCOUNT_COUNTRIES; empty allows all.',
    examples: [['DE']],
  }),
});

export const NewAccountBody = Type.Object({
  name: Type.String({ maxLength: 200, examples: ['Lighthouse'] }),
  rateCard: Type.Optional(Type.String({ maxLength: 100, description: 'Default: `standard`.' })),
  countries: Type.Optional(
    Type.Array(Type.String({ maxLength: 20 }), {
      maxItems: 1000,
      description:
        'ISO 3166 codes of the countries it may send to; empty, or `any` alone, allows all. Default: NEW_ACCOUNT_COUNTRIES.',
    }),
  ),
});

export const OwnSettingsBody = Type.Object({
  lowBalance: Type.Optional(Type.Union([AmountText, Type.Null()], { description: 'Null turns the notification off.' })),
  optOutLine: Type.Optional(
    Type.Union([Type.String({ maxLength: 1000 }), Type.Null()], {
      description: 'SMS campaigns append this line to the first message to a contact. Null: no line.',
    }),
  ),
  stopScope: Type.Optional(StopScopeSchema),
  frequencyCap: Type.Optional(FrequencyCapSchema),
});

/** Settings that only operators of the installation can change. */
export const AccountChangeBody = Type.Object({
  isActive: Type.Optional(Type.Boolean()),
  senderIds: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      maxItems: 1000,
      description: 'Allowed sender IDs of SMS; empty allows all.',
    }),
  ),
  rateCard: Type.Optional(Type.String({ maxLength: 100, description: 'A rate card in the same currency.' })),
  defaultCountry: Type.Optional(
    Type.Union([Type.String({ maxLength: 20, examples: ['DE'] }), Type.Null()], {
      description: 'ISO 3166 code. Null: recipients on Surface A need a country code.',
    }),
  ),
});

export const CreditBody = Type.Object({
  amount: AmountText,
  note: Type.Optional(Type.String({ maxLength: 500, description: 'Stored in the ledger.' })),
});

export const CorrectionBody = Type.Object({
  amount: AmountText,
  note: Type.String({ maxLength: 500, description: 'The reason; stored in the ledger.' }),
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
  messageCount: Type.Integer({ description: 'Number of messages in this entry.' }),
  note: NullableText,
  createdAt: Timestamp,
});

export const CanceledWaiting = Type.Object({
  messages: Type.Integer({ description: 'Messages canceled and refunded by this request.', examples: [2000] }),
  campaigns: Type.Array(Id, { description: 'Canceled campaigns.' }),
  refunded: Type.String({ examples: ['20.00'] }),
  currency: Type.String({ examples: ['USD'] }),
  hasMore: Type.Boolean({ description: 'More messages may be queued: repeat the request.' }),
});
