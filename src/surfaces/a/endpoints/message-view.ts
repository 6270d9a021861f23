import { type Static, Type } from '@sinclair/typebox';
import { moneyToNumber } from '../../../accounts/money.js';
import type { MessageContent } from '../../../carriers/content.js';
import { writePhoneNumber } from '../../../carriers/numbers/phone-numbers.js';
import { userIdIn } from '../../../carriers/numbers/user-ids.js';
import { type SmsSegmentation, segment } from '../../../carriers/sms/segments.js';
import type { KnownPerson } from '../../../features/contacts/people.js';
import { MESSAGE_STATUSES, type MessageStatus } from '../../../messages/message-status.js';
import type { FoundMessage } from '../../../messages/status/find-message.js';
import { describeStatus } from '../../../messages/status/status-words.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { WHATSAPP_PERSON } from '../../resources/people/people.js';
import { NULLABLE_NOTED, notedOrNull } from './notes-schemas.js';

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

/** A message as its sender sees it. */
export const MessageView = Type.Object({
  message_id: Id,
  channel: Type.Unsafe<'sms' | 'whatsapp'>({ type: 'string', enum: ['sms', 'whatsapp'] }),
  from: Type.String({
    description: 'The Sender ID of an SMS; of a WhatsApp message, the number of the channel that it leaves from.',
  }),
  to: Type.Union([Type.String(), Type.Null()], {
    description: 'The number as the request wrote it; null where it went to somebody without one.',
  }),
  ...WHATSAPP_PERSON,
  contactId: Type.Union([Id, Type.Null()], { description: 'Of a contact of its channel.' }),
  message: Type.String({ description: 'Text, caption or rendered template.' }),
  priority: Type.Integer(),
  status: Status,
  history: Type.Array(Type.Object({ status: Status, timestamp: Timestamp }), {
    description: 'Every status that it has come through, in order, and when. `sending` is the first attempt.',
  }),
  attempts: Type.Integer({ description: 'How often it was taken up for sending.', examples: [1] }),
  message_count: Type.Integer({ description: 'Number of SMS parts; 1 for WhatsApp.', examples: [1] }),
  encoding: Encoding,
  parts: Type.Array(
    Type.Object({
      part: Type.Integer({ description: 'From 1.' }),
      text: Type.String(),
      status: Type.Union([Status, Type.Null()], {
        description: 'Of a message of several parts, what its carrier reported of this one; null until it does.',
      }),
      timestamp: Nullable(Timestamp),
      error: Nullable(Failure),
    }),
  ),
  price: Type.Number({ description: 'For all parts, in units of the currency.', examples: [0.02] }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  refunded: Type.Boolean({ description: 'The price was given back.' }),
  error: Type.Union([Failure, Type.Null()], {
    description: 'Why it ended, or why its last attempt failed.',
  }),
  scheduled_at: Nullable(Timestamp),
  valid_until: Timestamp,
  fallback: Nullable(
    Type.Object({
      channel: Type.Literal('sms'),
      from: Type.String(),
      message: Type.String(),
      state: Type.Unsafe<(typeof FALLBACK_STATES)[number]>({
        type: 'string',
        enum: [...FALLBACK_STATES],
        description:
          '`waiting`: the message may still fail; `unused`: it was not needed; `due`: the message failed, and the ' +
          'SMS is about to be made; `accepted`: there is an SMS, see message_id; `refused`: there is none, see error.',
      }),
      message_id: Nullable(Id),
      error: Nullable(Failure),
    }),
  ),
  fallback_of: Type.Union([Id, Type.Null()], {
    description: 'The WhatsApp message that failed, where this SMS is its fallback.',
  }),
  ...NULLABLE_NOTED,
});

/** A message in a list: what its own row tells. */
export const MessageEntry = Type.Omit(MessageView, ['parts', 'fallback', 'fallback_of']);

export const MessageAnswer = Type.Object({
  status: Type.Literal('success'),
  message: Type.String({ examples: ['The message was delivered.'] }),
  code: Type.Integer({ examples: [200] }),
  data: MessageView,
});

type View = Static<typeof MessageView>;

/** What a message is shown with beside its row. */
interface Shown {
  currency: string;
  people: ReadonlyMap<string, KnownPerson>;
}

/** The answer that shows a message. */
export function answerMessage(found: FoundMessage, shown: Shown): Static<typeof MessageAnswer> {
  const data = viewOf(found, shown);
  return { status: 'success', message: describeStatus(data.status), code: 200, data };
}

function viewOf(found: FoundMessage, shown: Shown): View {
  const { message } = found;
  const segmentation = segmentationOf(message);
  return {
    ...entryOf(message, segmentation, shown),
    parts: partsOf(found, segmentation?.parts ?? [message.body]),
    fallback: fallbackOf(found),
    fallback_of: found.fallbackOf,
  };
}

/** An entry in the shape of `MessageEntry`. */
export function messageEntry(message: FoundMessage['message'], shown: Shown): Static<typeof MessageEntry> {
  return entryOf(message, segmentationOf(message), shown);
}

function segmentationOf({ kind, body }: FoundMessage['message']): SmsSegmentation | null {
  return kind === 'sms' ? segment(body) : null;
}

function entryOf(
  message: FoundMessage['message'],
  segmentation: SmsSegmentation | null,
  { currency, people }: Shown,
): Static<typeof MessageEntry> {
  const sentTo = userIdIn(message.recipient);
  const person = message.contactId === null ? undefined : people.get(message.contactId);
  return {
    message_id: message.id,
    channel: message.kind,
    from: message.sender,
    to: sentTo === null ? writePhoneNumber({ digits: message.recipient, plus: message.recipientPlus }) : null,
    userId: person?.userId ?? sentTo,
    username: person?.username ?? null,
    contactId: message.contactId,
    message: message.body,
    priority: message.priority,
    status: message.status,
    history: historyOf(message),
    attempts: message.attempts,
    message_count: message.parts,
    encoding: segmentation?.encoding ?? null,
    price: moneyToNumber(message.priceMicros),
    currency,
    refunded: message.refunded,
    error: failureOf(message),
    scheduled_at: message.scheduledAt?.toISOString() ?? null,
    valid_until: message.validUntil.toISOString(),
    ...notedOrNull(message),
  };
}

function historyOf(message: FoundMessage['message']): View['history'] {
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

function partsOf({ parts }: FoundMessage, texts: readonly string[]): View['parts'] {
  const known = new Map(parts.map((part) => [part.part, part]));
  return texts.map((text, index) => {
    const part = known.get(index + 1);
    return {
      part: index + 1,
      text,
      status: part?.status ?? null,
      timestamp: part?.endedAt?.toISOString() ?? null,
      error: part ? failureOf(part) : null,
    };
  });
}

function fallbackOf({ message, fallback }: FoundMessage): View['fallback'] {
  const asked = (message.content as MessageContent | null)?.fallback;
  if (!asked) return null;
  return {
    channel: 'sms',
    from: asked.from,
    message: asked.message ?? message.body,
    state: stateOf({ message, fallback }),
    message_id: fallback?.smsId ?? null,
    error: fallback ? failureOf(fallback) : null,
  };
}

function stateOf({ message, fallback }: Pick<FoundMessage, 'message' | 'fallback'>) {
  if (fallback?.smsId) return 'accepted';
  if (fallback) return fallback.nextLook ? 'due' : 'refused';
  const over = message.deliveredAt !== null || message.endedAt !== null;
  return over ? 'unused' : 'waiting';
}

/** Why something failed, in the shape of `Failure`. */
export function failureOf(of: {
  errorCode: string | null;
  errorMessage: string | null;
}): Static<typeof Failure> | null {
  const { errorCode, errorMessage } = of;
  if (errorCode === null && errorMessage === null) return null;
  return { code: errorCode ?? '', message: errorMessage ?? '' };
}
