import { Type } from '@sinclair/typebox';
import { STEP_TYPES, type StepType } from '../../../../features/message-history/timeline.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../../messages/message-status.js';
import { PathId } from '../../../http/ids.js';
import { Id, NullableText, NullableTimestamp, Timestamp } from '../../../http/schemas/values.js';
import { WHATSAPP_PERSON } from '../../../resources/people/people.js';
import { AccountPath } from '../accounts-schemas.js';

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Status = Type.Unsafe<MessageStatus>({ type: 'string', enum: [...MESSAGE_STATUSES], examples: ['delivered'] });
const Kind = Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] });

export const MessagePath = Type.Intersect([AccountPath, Type.Object({ messageId: PathId })]);

/** A filter; an empty text counts as absent. */
const filter = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));

/** What a list of messages may be limited to. */
export const MESSAGE_FILTERS = {
  messageId: filter('The message with this id.', '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'),
  to: filter(
    'The recipient: a whole number, found however many messages there are; or its beginning (`4479*`) or its end (`*0123`), ' +
      'for which the newest messages are read.',
    '+44 7911 123456',
  ),
  reference: filter('The reference, exactly as the send wrote it.', 'order-4711'),
  status: filter(`One of ${MESSAGE_STATUSES.join(', ')}.`, 'failed'),
  kind: filter('`sms` or `whatsapp`.', 'sms'),
  channelId: filter(
    'The channel that it left from; SMS of Surface A have none.',
    '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55',
  ),
  carrier: filter('The carrier that it was given to, by its name.', 'simulator'),
  createdFrom: filter('Accepted at this time or later: ISO 8601 with a time zone.', '2026-11-21T00:00:00Z'),
  createdTo: filter('Accepted before this time.', '2026-11-22T00:00:00Z'),
};

const ErrorData = Type.Object({
  code: Type.String({ examples: ['131026'] }),
  message: Type.String({ description: 'As the carrier, or Heliograph, said it.' }),
});

/** A message in a list. */
export const MessageEntry = Type.Object({
  id: Id,
  kind: Kind,
  channelId: Nullable(Id),
  from: Type.String({ description: 'Sender ID, or the number of the channel.' }),
  to: Type.String({
    description: 'Digits with country code; of one who shows no number, the user id.',
    examples: ['447911123456'],
  }),
  ...WHATSAPP_PERSON,
  text: Type.String({ description: 'The beginning of the text, the caption or the rendered template.' }),
  status: Status,
  changedAt: Type.Unsafe<string>({ ...Timestamp, description: 'When it came into its status.' }),
  carrier: Type.String(),
  parts: Type.Integer({ description: 'SMS parts; 1 for WhatsApp.' }),
  price: Type.Number({ description: 'For all parts, in units of the currency of the account.' }),
  refunded: Type.Boolean(),
  error: Nullable(ErrorData),
  reference: NullableText,
  createdAt: Timestamp,
});

/** Beside the entries of a page of messages. */
export const SEARCHED = {
  searchedTo: Type.Union([Timestamp, Type.Null()], {
    description: 'How far back was looked where there is more to look at, which a short or empty page does not say.',
  }),
};

const StepData = Type.Object({
  at: Timestamp,
  type: Type.Unsafe<StepType>({
    type: 'string',
    enum: [...STEP_TYPES],
    description:
      '`claimed`: taken up for sending the first time; `try_failed`: a try that is repeated; `next_try`: when; `part`: what was ' +
      'reported of a part; `superseded_receipt`: what a carrier reported of an attempt that no longer owned the message, or a ' +
      'failure that a later delivery replaced; ' +
      '`ended`: its final status; `callback`, `webhook`: who was told of a status.',
  }),
  status: Type.Union([Type.String(), Type.Null()], {
    description: 'The status that the message, its part, its fallback or the delivery of its event came into.',
  }),
  attempt: Nullable(Type.Integer()),
  part: Nullable(Type.Integer()),
  carrier: NullableText,
  error: Nullable(ErrorData),
  maybeAccepted: Type.Boolean({ description: 'The answer was lost: it may be on its way nevertheless.' }),
  messageId: Nullable(Id),
  event: Nullable(
    Type.Object({
      id: Id,
      webhookId: Nullable(Id),
      channelId: Type.Union([Id, Type.Null()], {
        description: 'Of the webhook; null of one of the whole account, and of a callback URL.',
      }),
      url: NullableText,
      tells: Type.String({ description: 'The status that it tells of.' }),
      attempts: Type.Integer(),
      lastStatusCode: Nullable(Type.Integer()),
      lastError: NullableText,
      nextAttemptAt: NullableTimestamp,
    }),
  ),
});

/** A message with its history. */
export const MessageData = Type.Intersect([
  Type.Omit(MessageEntry, ['text']),
  Type.Object({
    text: Type.String({ description: 'Text, caption or rendered template.' }),
    surface: Type.Unsafe<'a' | 'b'>({ type: 'string', enum: ['a', 'b'] }),
    template: Nullable(
      Type.Object({
        name: Type.String(),
        language: Type.String(),
        shown: Type.Optional(
          Type.Object(
            {},
            { additionalProperties: true, description: 'All that the phone shows of one with more than a text.' },
          ),
        ),
      }),
    ),
    media: Nullable(Type.Object({ type: Type.String(), url: Type.String() })),
    encoding: Nullable(Type.Unsafe<'gsm7' | 'ucs2'>({ type: 'string', enum: ['gsm7', 'ucs2'] })),
    priority: Type.Integer(),
    attempts: Type.Integer({ description: 'How often it was taken up for sending.' }),
    carrierMessageId: NullableText,
    contactId: Nullable(Id),
    conversationId: Nullable(Id),
    campaignId: Nullable(Id),
    requestId: Type.Union([Type.String(), Type.Null()], {
      description: '`X-Request-Id` of the request that it came with; null where none did, as for campaigns.',
    }),
    scheduledAt: NullableTimestamp,
    validUntil: Timestamp,
    metadata: Nullable(Type.Record(Type.String(), Type.String())),
    callbackUrl: NullableText,
    fallbackOf: Nullable(Id),
    mayBeCanceled: Type.Boolean({ description: 'It waits, and no carrier can have it.' }),
    partList: Type.Array(
      Type.Object({
        part: Type.Integer(),
        status: Nullable(Status),
        at: NullableTimestamp,
        carrierMessageId: Type.String(),
        error: Nullable(ErrorData),
      }),
      { description: 'Of an SMS of several parts, those that the carrier gave ids of their own.' },
    ),
    timeline: Type.Array(StepData, { description: 'What happened, in order.' }),
  }),
]);
