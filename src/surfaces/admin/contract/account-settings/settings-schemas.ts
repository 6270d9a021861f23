import { Type } from '@sinclair/typebox';
import { STOP_SCOPES, type StopScope } from '../../../../accounts/account-settings.js';
import { CAP_DAYS, type FrequencyCap, MAX_CAP_MESSAGES } from '../../../../accounts/frequency-cap.js';
import type { Weekday } from '../../../../messages/quiet-hours/rule.js';
import { RULE_PRESETS } from '../../../../messages/quiet-hours/rules/presets.js';
import { MAX_OWN_RULES } from '../../../../messages/quiet-hours/settings.js';
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

const QuietHoursSchema = Type.Union(
  [
    Type.Object({
      presets: Type.Array(Type.String({ examples: ['fr'] }), {
        maxItems: RULE_PRESETS.length,
        description: 'IDs of rules that laws set.',
        [RULE]: 'must be a list of IDs such as fr',
      }),
      rules: Type.Array(
        Type.Object({
          name: Type.String({ [RULE]: 'must be a text' }),
          countries: Type.Array(Type.String(), {
            description: 'ISO 3166-1 codes. Empty: every country.',
            [RULE]: 'must be a list of country codes',
          }),
          windows: Type.Array(
            Type.Object({
              days: Type.Array(Type.Unsafe<Weekday>({ type: 'integer', minimum: 0, maximum: 6 }), {
                description: '0 is Sunday.',
                [RULE]: 'must be a list of numbers from 0 to 6',
              }),
              from: Type.Integer({ description: 'Minutes since midnight.', [RULE]: 'must be a whole number' }),
              to: Type.Integer({ description: 'Minutes since midnight, exclusive.', [RULE]: 'must be a whole number' }),
            }),
            {
              description: 'Hours in which messages leave, by the recipient’s clock.',
              [RULE]: 'must be a list of windows',
            },
          ),
          closedDates: Type.Array(Type.String({ examples: ['2026-12-24'] }), { [RULE]: 'must be a list of dates' }),
        }),
        {
          maxItems: MAX_OWN_RULES,
          description: "The account's own rules.",
          [RULE]: `must be at most ${MAX_OWN_RULES} rules`,
        },
      ),
      includesTransactional: Type.Boolean({
        description: 'Whether the hours also apply to transactional messages.',
        [RULE]: 'must be true or false',
      }),
    }),
    Type.Null(),
  ],
  { description: 'Hours in which marketing messages leave. Null: at any time.' },
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
  quietHours: QuietHoursSchema,
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
  quietHours: Type.Optional(QuietHoursSchema),
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
