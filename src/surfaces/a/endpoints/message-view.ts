import { type Static, Type } from '@sinclair/typebox';
import { moneyToNumber } from '../../../accounts/money.js';
import type { MessageContent } from '../../../carriers/content.js';
import { writePhoneNumber } from '../../../carriers/numbers/phone-numbers.js';
import { extractUserId } from '../../../carriers/numbers/user-ids.js';
import { type SmsSegmentation, segment } from '../../../carriers/sms/segments.js';
import type { KnownPerson } from '../../../features/contacts/people.js';
import { readPurpose } from '../../../messages/compose/purpose.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../messages/message-status.js';
import { describeHold } from '../../../messages/quiet-hours/recipient-hours.js';
import { type FoundMessage, findHeldUntil } from '../../../messages/status/find-message.js';
import { describeStatus } from '../../../messages/status/status-words.js';
import { PurposeView } from '../../http/schemas/purpose.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { WHATSAPP_PERSON } from '../../resources/people/people.js';
import { NULLABLE_NOTES, nullableNotes } from './notes-schemas.js';

export const Status = Type.Unsafe<MessageStatus>({
  type: 'string',
  enum: [...MESSAGE_STATUSES],
  examples: ['delivered'],
});
export const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);

export const Encoding = Nullable(
  Type.Unsafe<SmsSegmentation['encoding']>({
    type: 'string',
    enum: ['gsm7', 'ucs2'],
    description: '`gsm7`: the GSM 7-bit alphabet; `ucs2`: UTF-16; null for WhatsApp.',
  }),
);

export const Failure = Type.Object({
  code: Type.String({ examples: ['OPTED_OUT'] }),
  message: Type.String({ examples: ['The recipient wants no more messages from this sender.'] }),
});

const FALLBACK_STATES = ['waiting', 'unused', 'due', 'accepted', 'refused'] as const;

export const MessageView = Type.Object({
  message_id: Id,
  channel: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
  from: Type.String({
    description: 'The sender ID of an SMS, or the number of the WhatsApp channel.',
  }),
  to: Type.Union([Type.String(), Type.Null()], {
    description: 'The number as written in the request; null if the recipient has none.',
  }),
  ...WHATSAPP_PERSON,
  contactId: Type.Union([Id, Type.Null()], { description: 'The recipient as a contact of the channel.' }),
  message: Type.String({ description: 'Text, caption or rendered template.' }),
  priority: Type.Integer(),
  status: Status,
  history: Type.Array(Type.Object({ status: Status, timestamp: Timestamp }), {
    description: 'Every status so far in order, with its time. `sending` is the first attempt.',
  }),
  attempts: Type.Integer({ description: 'Number of attempts to send it.', examples: [1] }),
  message_count: Type.Integer({ description: 'Number of SMS parts; 1 for WhatsApp.', examples: [1] }),
  encoding: Encoding,
  parts: Type.Array(
    Type.Object({
      part: Type.Integer({ description: 'From 1.' }),
      text: Type.String(),
      status: Type.Union([Status, Type.Null()], {
        description: 'The carrier’s report for this part, if the message has several; null until it arrives.',
      }),
      timestamp: Nullable(Timestamp),
      error: Nullable(Failure),
    }),
  ),
  price: Type.Number({ description: 'For all parts, in units of the currency.', examples: [0.02] }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  refunded: Type.Boolean({ description: 'Whether the price was refunded.' }),
  error: Type.Union([Failure, Type.Null()], {
    description: 'Why it failed, or why its last attempt failed.',
  }),
  scheduled_at: Nullable(Timestamp),
  valid_until: Timestamp,
  purpose: PurposeView,
  held_until: Type.Union([Timestamp, Type.Null()], {
    description: 'Until when quiet hours hold the message; null if they do not.',
  }),
  holds: Type.Array(
    Type.Object({
      timestamp: Timestamp,
      held_until: Timestamp,
      reason: Type.String({ examples: ['Held until 10:00 Europe/Paris: quiet hours, FR marketing.'] }),
    }),
    { description: 'Each decision to hold the message until quiet hours end.' },
  ),
  fallback: Nullable(
    Type.Object({
      channel: Type.Literal('sms'),
      from: Type.String(),
      message: Type.String(),
      state: Type.Unsafe<(typeof FALLBACK_STATES)[number]>({
        type: 'string',
        enum: [...FALLBACK_STATES],
        description:
          '`waiting`: the message may still fail; `unused`: the SMS was not needed; `due`: the message failed and the ' +
          'SMS is about to be created; `accepted`: message_id is the SMS; `refused`: no SMS was created, see error.',
      }),
      message_id: Nullable(Id),
      error: Nullable(Failure),
    }),
  ),
  fallback_of: Type.Union([Id, Type.Null()], {
    description: 'The failed WhatsApp message, if this SMS is its fallback.',
  }),
  ...NULLABLE_NOTES,
});

export const MessageEntry = Type.Omit(MessageView, ['held_until', 'holds', 'parts', 'fallback', 'fallback_of']);

export const MessageAnswer = Type.Object({
  status: Type.Literal('success'),
  message: Type.String({ examples: ['The message was delivered.'] }),
  code: Type.Integer({ examples: [200] }),
  data: MessageView,
});

type View = Static<typeof MessageView>;

interface ViewContext {
  currency: string;
  people: ReadonlyMap<string, KnownPerson>;
}

export function answerMessage(details: FoundMessage, context: ViewContext): Static<typeof MessageAnswer> {
  const data = toView(details, context);
  return { status: 'success', message: describeStatus(data.status), code: 200, data };
}

function toView(details: FoundMessage, context: ViewContext): View {
  const { message } = details;
  const segmentation = segmentMessage(message);
  return {
    ...toEntry(message, segmentation, context),
    parts: listParts(details, segmentation?.parts ?? [message.body]),
    held_until: findHeldUntil(message, details.holds)?.toISOString() ?? null,
    holds: details.holds.map((hold) => ({
      timestamp: hold.heldAt.toISOString(),
      held_until: hold.heldUntil.toISOString(),
      reason: describeHold(hold),
    })),
    fallback: describeFallback(details),
    fallback_of: details.fallbackOf,
  };
}

export function messageEntry(message: FoundMessage['message'], context: ViewContext): Static<typeof MessageEntry> {
  return toEntry(message, segmentMessage(message), context);
}

function segmentMessage({ kind, body }: FoundMessage['message']): SmsSegmentation | null {
  return kind === 'sms' ? segment(body) : null;
}

function toEntry(
  message: FoundMessage['message'],
  segmentation: SmsSegmentation | null,
  { currency, people }: ViewContext,
): Static<typeof MessageEntry> {
  const recipientUserId = extractUserId(message.recipient);
  const person = message.contactId === null ? undefined : people.get(message.contactId);
  return {
    message_id: message.id,
    channel: message.kind,
    from: message.sender,
    to: recipientUserId === null ? writePhoneNumber({ digits: message.recipient, plus: message.recipientPlus }) : null,
    userId: person?.userId ?? recipientUserId,
    username: person?.username ?? null,
    contactId: message.contactId,
    message: message.body,
    priority: message.priority,
    status: message.status,
    history: listHistory(message),
    attempts: message.attempts,
    message_count: message.parts,
    encoding: segmentation?.encoding ?? null,
    price: moneyToNumber(message.priceMicros),
    currency,
    refunded: message.refunded,
    error: toFailure(message),
    scheduled_at: message.scheduledAt?.toISOString() ?? null,
    valid_until: message.validUntil.toISOString(),
    purpose: readPurpose(message),
    ...nullableNotes(message),
  };
}

function listHistory(message: FoundMessage['message']): View['history'] {
  const { createdAt, sendingAt, sentAt, deliveredAt, readAt, endedAt, status } = message;
  const steps: [MessageStatus, Date | null][] = [
    ['queued', createdAt],
    ['sending', sendingAt],
    ['sent', sentAt],
    ['delivered', deliveredAt],
    ['read', readAt],
    [status, endedAt],
  ];
  return steps.flatMap(([step, time]) => (time ? [{ status: step, timestamp: time.toISOString() }] : []));
}

function listParts({ parts }: FoundMessage, texts: readonly string[]): View['parts'] {
  const reports = new Map(parts.map((part) => [part.part, part]));
  return texts.map((text, index) => {
    const part = reports.get(index + 1);
    return {
      part: index + 1,
      text,
      status: part?.status ?? null,
      timestamp: part?.endedAt?.toISOString() ?? null,
      error: part ? toFailure(part) : null,
    };
  });
}

function describeFallback({ message, fallback }: FoundMessage): View['fallback'] {
  const requested = (message.content as MessageContent | null)?.fallback;
  if (!requested) return null;
  return {
    channel: 'sms',
    from: requested.from,
    message: requested.message ?? message.body,
    state: fallbackState({ message, fallback }),
    message_id: fallback?.smsId ?? null,
    error: fallback ? toFailure(fallback) : null,
  };
}

function fallbackState({ message, fallback }: Pick<FoundMessage, 'message' | 'fallback'>) {
  if (fallback?.smsId) return 'accepted';
  if (fallback) return fallback.nextLook ? 'due' : 'refused';
  const isOver = message.deliveredAt !== null || message.endedAt !== null;
  return isOver ? 'unused' : 'waiting';
}

export function toFailure({
  errorCode,
  errorMessage,
}: {
  errorCode: string | null;
  errorMessage: string | null;
}): Static<typeof Failure> | null {
  if (errorCode === null && errorMessage === null) return null;
  return { code: errorCode ?? '', message: errorMessage ?? '' };
}
