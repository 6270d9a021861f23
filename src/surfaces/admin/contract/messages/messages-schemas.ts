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

/** An empty filter counts as absent. */
const filterText = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }));

export const MESSAGE_FILTERS = {
  messageId: filterText('The message with this ID.', '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'),
  to: filterText(
    'The recipient: a complete number, or its start (`4479*`) or end (`*0123`). For a partial number only the newest messages are ' +
      'searched.',
    '+44 7700 900123',
  ),
  reference: filterText('The reference exactly as sent.', 'order-4711'),
  status: filterText(`One of ${MESSAGE_STATUSES.join(', ')}.`, 'failed'),
  kind: filterText('`sms` or `whatsapp`.', 'sms'),
  channelId: filterText('The sending channel; SMS of Surface A have none.', '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'),
  carrier: filterText('The name of the carrier it was submitted to.', 'simulator'),
  createdFrom: filterText('Accepted at or after this time: ISO 8601 with a time zone.', '2026-11-21T00:00:00Z'),
  createdTo: filterText('Accepted before this time.', '2026-11-22T00:00:00Z'),
};

const ErrorData = Type.Object({
  code: Type.String({ examples: ['131026'] }),
  message: Type.String({ description: 'Text of the carrier or of Heliograph.' }),
});

export const MessageEntry = Type.Object({
  id: Id,
  kind: Kind,
  channelId: Nullable(Id),
  from: Type.String({ description: 'Sender ID, or the number of the channel.' }),
  to: Type.String({
    description: 'Digits with country code, or the user ID of a person without a number.',
    examples: ['447700900123'],
  }),
  ...WHATSAPP_PERSON,
  text: Type.String({ description: 'The start of the text, the caption or the rendered template.' }),
  status: Status,
  changedAt: Type.Unsafe<string>({ ...Timestamp, description: 'When it reached its status.' }),
  carrier: Type.String(),
  parts: Type.Integer({ description: 'SMS parts; 1 for WhatsApp.' }),
  price: Type.Number({ description: 'For all parts, in units of the currency of the account.' }),
  refunded: Type.Boolean(),
  error: Nullable(ErrorData),
  reference: NullableText,
  createdAt: Timestamp,
});

export const SEARCHED = {
  searchedTo: Type.Union([Timestamp, Type.Null()], {
    description: 'Messages older than this were not searched; null if all were.',
  }),
};

const StepData = Type.Object({
  at: Timestamp,
  type: Type.Unsafe<StepType>({
    type: 'string',
    enum: [...STEP_TYPES],
    description:
      '`held`: quiet hours hold the message, see `error`; `claimed`: the first attempt started; `try_failed`: an attempt failed and will be repeated; `next_try`: the time of the next attempt; ' +
      '`part`: a report for a part; `superseded_receipt`: a report for an attempt that no longer owned the message, or a failure that a ' +
      'later delivery replaced; `clicked`: the first click of a person on a short link; `ended`: the final status; ' +
      '`callback`, `webhook`: notification of a status.',
  }),
  status: Type.Union([Type.String(), Type.Null()], {
    description: 'The new status of the message, its part, its fallback or the delivery of its event.',
  }),
  attempt: Nullable(Type.Integer()),
  part: Nullable(Type.Integer()),
  carrier: NullableText,
  error: Nullable(ErrorData),
  maybeAccepted: Type.Boolean({ description: 'The response was lost, so the carrier may have accepted the message.' }),
  messageId: Nullable(Id),
  link: Type.Union(
    [
      Type.Object({
        url: Type.String({ description: 'The URL that the short link leads to.' }),
        clicks: Type.Integer({ description: 'Clicks by people so far.' }),
      }),
      Type.Null(),
    ],
    { description: 'The clicked link.' },
  ),
  event: Nullable(
    Type.Object({
      id: Id,
      webhookId: Nullable(Id),
      channelId: Type.Union([Id, Type.Null()], {
        description: 'The channel of the webhook; null for an account webhook and for a callback URL.',
      }),
      url: NullableText,
      tells: Type.String({ description: 'The status that was reported.' }),
      attempts: Type.Integer(),
      lastStatusCode: Nullable(Type.Integer()),
      lastError: NullableText,
      nextAttemptAt: NullableTimestamp,
    }),
  ),
});

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
            {
              additionalProperties: true,
              description: 'What the phone displays, if that is more than text.',
            },
          ),
        ),
      }),
    ),
    media: Nullable(Type.Object({ type: Type.String(), url: Type.String() })),
    encoding: Nullable(Type.Unsafe<'gsm7' | 'ucs2'>({ type: 'string', enum: ['gsm7', 'ucs2'] })),
    priority: Type.Integer(),
    attempts: Type.Integer({ description: 'Number of attempts to send it.' }),
    carrierMessageId: NullableText,
    contactId: Nullable(Id),
    conversationId: Nullable(Id),
    campaignId: Nullable(Id),
    requestId: Type.Union([Type.String(), Type.Null()], {
      description: '`X-Request-Id` of the request that created it; null if there was none, as for campaigns.',
    }),
    scheduledAt: NullableTimestamp,
    validUntil: Timestamp,
    metadata: Nullable(Type.Record(Type.String(), Type.String())),
    callbackUrl: NullableText,
    fallbackOf: Nullable(Id),
    mayBeCanceled: Type.Boolean({ description: 'The message is queued, and no carrier can have accepted it.' }),
    partList: Type.Array(
      Type.Object({
        part: Type.Integer(),
        status: Nullable(Status),
        at: NullableTimestamp,
        carrierMessageId: Type.String(),
        error: Nullable(ErrorData),
      }),
      { description: 'Parts of an SMS to which the carrier gave separate IDs.' },
    ),
    timeline: Type.Array(StepData, { description: 'The history of the message, in order.' }),
  }),
]);
