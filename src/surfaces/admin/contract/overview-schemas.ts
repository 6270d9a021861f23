import { Type } from '@sinclair/typebox';
import { COUNTED_EVENTS, type CountedEvent } from '../../../messages/counters/read-store.js';
import { TIMESTAMP_RULE } from '../../../platform/timestamps.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { RULE } from '../../http/validation.js';

const Time = (description: string) =>
  Type.String({ maxLength: 40, description, examples: ['2026-12-01T08:00:00Z'], [RULE]: TIMESTAMP_RULE });

export const OverviewQuery = Type.Object({
  from: Time('The first hour is the one that contains this time.'),
  to: Type.Optional(Time('The last hour is the one that contains this time. Default: now.')),
  zone: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Time zone in which days start. Default: UTC.',
      examples: ['Europe/Berlin'],
      [RULE]: 'must be a time zone such as Europe/Berlin',
    }),
  ),
});

const numbers = Object.fromEntries(COUNTED_EVENTS.map((event) => [event, Type.Integer()])) as Record<
  CountedEvent,
  ReturnType<typeof Type.Integer>
>;

export const NumbersData = Type.Object(numbers);

export const InstallationOverviewQuery = Type.Pick(OverviewQuery, ['from', 'to']);

const QueueData = Type.Object({
  waiting: Type.Integer({ description: 'Messages that are due or wait for another attempt.' }),
  oldestAt: Type.Union([Timestamp, Type.Null()]),
  isPartial: Type.Boolean({ description: 'Not all due messages were counted, so there may be more.' }),
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
      isActive: Type.Boolean({ description: 'Whether the account is enabled.' }),
      currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
      spend: Type.Number({ description: 'Charges for accepted messages.', examples: [1.2] }),
      totals: NumbersData,
      waiting: Type.Integer({ description: 'As in `queue`.' }),
      oldestAt: Type.Union([Timestamp, Type.Null()]),
    }),
    { description: 'Accounts with messages in this period or in the queue, most messages first; at most 200.' },
  ),
  moreAccounts: Type.Boolean({ description: 'There are more accounts; `totals` includes them.' }),
});

const NullableTime = Type.Union([Timestamp, Type.Null()]);

export const AttentionData = Type.Object({
  carriers: Type.Array(
    Type.Object({
      name: Type.String(),
      state: Type.Unsafe<'limited' | 'down' | 'unusable' | 'silent'>({
        type: 'string',
        enum: ['limited', 'down', 'unusable', 'silent'],
        description: 'The worst state in any process; `silent`: no process reports a state.',
      }),
      since: NullableTime,
      reason: Type.Union([Type.String(), Type.Null()]),
      processes: Type.Integer({ description: 'Number of processes that report a state.' }),
      notUp: Type.Integer({ description: 'Number of processes in which it is not `up`.' }),
    }),
    { description: 'Enabled carriers that are not up in every process.' },
  ),
  webhooks: Type.Array(
    Type.Object({
      id: Id,
      accountId: Id,
      accountName: Type.String(),
      channelId: Type.Union([Id, Type.Null()], { description: 'Null for an account webhook.' }),
      url: Type.String(),
      failingSince: NullableTime,
      disabledReason: Type.Union([Type.String(), Type.Null()], {
        description: 'Null while deliveries are still attempted.',
      }),
    }),
    { description: 'Webhooks that fail or were disabled because they failed, longest failure first; at most 20.' },
  ),
  webhookCount: Type.Integer({ description: 'Total number of such webhooks.' }),
  accounts: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
      isActive: Type.Boolean({ description: 'Whether the account is enabled.' }),
      balance: Type.Number({ examples: [0.5] }),
    }),
    {
      description:
        'Accounts that are disabled, have no credit, or less than the amount set for notifications; at most 20.',
    },
  ),
  accountCount: Type.Integer({ description: 'Total number of such accounts.' }),
});

export const OverviewData = Type.Object({
  from: Timestamp,
  to: Timestamp,
  step: Type.Unsafe<'hour' | 'day'>({
    type: 'string',
    enum: ['hour', 'day'],
    description:
      'The period that each entry of `byTime` covers: an hour if the requested period is at most three days. Entries without messages are absent.',
  }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  balance: Type.Number({ description: 'Current balance, in units of the currency.', examples: [12.34] }),
  spend: Type.Number({ description: 'Charges for accepted messages.', examples: [1.2] }),
  refunds: Type.Number({ description: 'Refunds for messages that no carrier accepted.', examples: [0.02] }),
  totals: NumbersData,
  deliveryRate: Type.Union([Type.Number(), Type.Null()], {
    description:
      'Share of delivered messages among those delivered, undelivered, failed, rejected or expired; null if there are none.',
    examples: [0.98],
  }),
  timeToDelivery: Type.Union(
    [Type.Object({ mean: Type.Number(), median: Type.Number(), p95: Type.Number() }), Type.Null()],
    {
      description:
        'Milliseconds from acceptance to delivery. `median` and `p95` are upper limits of histogram buckets.',
    },
  ),
  byTime: Type.Array(Type.Intersect([Type.Object({ start: Timestamp }), NumbersData])),
  byChannel: Type.Array(
    Type.Intersect([
      Type.Object({
        channelId: Type.Union([Id, Type.Null()], { description: 'Null for messages sent without a channel.' }),
        kind: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
      }),
      NumbersData,
    ]),
  ),
  byCarrier: Type.Array(Type.Intersect([Type.Object({ carrier: Type.String() }), NumbersData])),
  byCountry: Type.Array(
    Type.Intersect([
      Type.Object({
        callingCode: Type.String({ description: 'Empty if the number has none.', examples: ['49'] }),
        region: Type.Union([Type.String(), Type.Null()], {
          description: 'ISO 3166 code of the main region with this calling code.',
          examples: ['DE'],
        }),
        isShared: Type.Boolean({ description: 'Whether other regions share the calling code.' }),
      }),
      NumbersData,
    ]),
  ),
  queue: QueueData,
});
