import { Type } from '@sinclair/typebox';
import { COUNTED_EVENTS, type CountedEvent } from '../../../messages/counters/read-store.js';
import { TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

const Time = (description: string) =>
  Type.String({ maxLength: 40, description, examples: ['2026-12-01T08:00:00Z'], [RULE]: TIMESTAMP_RULE });

export const OverviewQuery = Type.Object({
  from: Time('The first hour is the one with this moment in it.'),
  to: Type.Optional(Time('The last hour is the one with this moment in it; now unless told.')),
  zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'In which days begin; UTC unless told.',
      examples: ['Europe/Berlin'],
      [RULE]: 'must be a time zone such as Europe/Berlin',
    }),
  ),
});

const numbers = Object.fromEntries(COUNTED_EVENTS.map((event) => [event, Type.Integer()])) as Record<
  CountedEvent,
  ReturnType<typeof Type.Integer>
>;

/** How many messages came to what. */
export const NumbersData = Type.Object(numbers);

export const InstallationOverviewQuery = Type.Pick(OverviewQuery, ['from', 'to']);

const QueueData = Type.Object({
  waiting: Type.Integer({ description: 'Due, or waiting for another try.' }),
  oldestAt: Type.Union([Timestamp, Type.Null()]),
  isPartial: Type.Boolean({ description: 'More are due within the hour than were looked at, so more may wait.' }),
});

export const InstallationOverviewData = Type.Object({
  from: Timestamp,
  to: Timestamp,
  totals: NumbersData,
  queue: QueueData,
  accounts: Type.Array(
    Type.Object({
      accountId: Id,
      name: Type.String(),
      isActive: Type.Boolean({ description: 'Not switched off.' }),
      currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
      spend: Type.Number({ description: 'What was charged for the messages that were accepted.', examples: [1.2] }),
      totals: NumbersData,
      waiting: Type.Integer({ description: 'As in `queue`.' }),
      oldestAt: Type.Union([Timestamp, Type.Null()]),
    }),
    { description: 'Those with messages in this time or in the queue, at most 200: the ones with the most first.' },
  ),
  moreAccounts: Type.Boolean({ description: 'There are further ones; `totals` counts them too.' }),
});

const NullableTime = Type.Union([Timestamp, Type.Null()]);

export const AttentionData = Type.Object({
  carriers: Type.Array(
    Type.Object({
      name: Type.String(),
      state: Type.Unsafe<'limited' | 'down' | 'unusable' | 'silent'>({
        type: 'string',
        enum: ['limited', 'down', 'unusable', 'silent'],
        description: 'The worst of what the processes tell; `silent`: none tells of it.',
      }),
      since: NullableTime,
      reason: Type.Union([Type.String(), Type.Null()]),
      processes: Type.Integer({ description: 'Processes that tell of it.' }),
      notUp: Type.Integer({ description: 'Those of them in which it is not up.' }),
    }),
    { description: 'Those that are switched on and not up everywhere.' },
  ),
  webhooks: Type.Array(
    Type.Object({
      id: Id,
      accountId: Id,
      accountName: Type.String(),
      channelId: Type.Union([Id, Type.Null()], { description: 'Null: of the whole account.' }),
      url: Type.String(),
      failingSince: NullableTime,
      disabledReason: Type.Union([Type.String(), Type.Null()], { description: 'Null while it is still tried.' }),
    }),
    { description: 'Those that fail, or were disabled for it; those that fail longest first, at most 20.' },
  ),
  webhookCount: Type.Integer({ description: 'How many such there are in all.' }),
  accounts: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
      isActive: Type.Boolean({ description: 'Not switched off.' }),
      balance: Type.Number({ examples: [0.5] }),
    }),
    { description: 'Those that are switched off, have no credit, or less than their own mark; at most 20.' },
  ),
  accountCount: Type.Integer({ description: 'How many such there are in all.' }),
});

export const OverviewData = Type.Object({
  from: Timestamp,
  to: Timestamp,
  step: Type.Unsafe<'hour' | 'day'>({
    type: 'string',
    enum: ['hour', 'day'],
    description:
      'How long each entry of `byTime` is: an hour for up to three days. Entries without messages are left out.',
  }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  balance: Type.Number({ description: 'Of this moment, in units of the currency.', examples: [12.34] }),
  spend: Type.Number({ description: 'What was charged for the messages that were accepted.', examples: [1.2] }),
  refunds: Type.Number({ description: 'What was given back of those that no carrier took.', examples: [0.02] }),
  totals: NumbersData,
  deliveryRate: Type.Union([Type.Number(), Type.Null()], {
    description:
      'Delivered of all that was delivered, undelivered, failed, rejected or expired; null where nothing was.',
    examples: [0.98],
  }),
  timeToDelivery: Type.Union(
    [Type.Object({ mean: Type.Number(), median: Type.Number(), p95: Type.Number() }), Type.Null()],
    { description: 'Milliseconds from the acceptance. `median` and `p95` are borders of slots: at most so long.' },
  ),
  byTime: Type.Array(Type.Intersect([Type.Object({ start: Timestamp }), NumbersData])),
  byChannel: Type.Array(
    Type.Intersect([
      Type.Object({
        channelId: Type.Union([Id, Type.Null()], { description: 'Null: sent without a channel.' }),
        kind: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
      }),
      NumbersData,
    ]),
  ),
  byCarrier: Type.Array(Type.Intersect([Type.Object({ carrier: Type.String() }), NumbersData])),
  byCountry: Type.Array(
    Type.Intersect([
      Type.Object({
        callingCode: Type.String({ description: 'Empty where the number has none.', examples: ['49'] }),
        region: Type.Union([Type.String(), Type.Null()], {
          description: 'ISO 3166 code of the region that most of its numbers belong to.',
          examples: ['DE'],
        }),
        isShared: Type.Boolean({ description: 'Other regions have the same calling code.' }),
      }),
      NumbersData,
    ]),
  ),
  queue: QueueData,
});
