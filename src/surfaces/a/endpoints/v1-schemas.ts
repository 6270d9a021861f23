import { Type } from '@sinclair/typebox';
import { MAX_SENDER_ID, SENDER_ID_PATTERN, SENDER_ID_RULE } from '../../../accounts/sender-ids.js';
import { MESSAGE_STATUSES } from '../../../messages/message-status.js';
import { NOT_BLANK } from '../../../platform/errors/field-problems.js';
import { defineErrorResponses } from '../../http/error-responses.js';
import { PURPOSE } from '../../http/schemas/purpose.js';
import { Id, Timestamp } from '../../http/schemas/values.js';
import { NULL_IS_ABSENT, RULE } from '../../http/validation.js';
import { WHATSAPP_PERSON } from '../../resources/people/people.js';
import { ErrorV1, ErrorV2, ErrorV2Funded, renderV1, renderV2 } from '../errors.js';
import { CALLBACK, NOTES, OPTIONAL_NOTES } from './notes-schemas.js';
import { Priority, ScheduledAt, ValidityPeriod } from './sending-schemas.js';

export const SenderId = Type.String({
  description: 'Sender ID: 1 to 18 printable characters.',
  minLength: 1,
  maxLength: MAX_SENDER_ID,
  pattern: SENDER_ID_PATTERN,
  examples: ['Heliograph'],
  [RULE]: SENDER_ID_RULE,
});

export const SentEntry = Type.Object({
  message_id: Id,
  message_count: Type.Integer({ description: 'Number of SMS parts; 1 for WhatsApp.', examples: [1] }),
  from: Type.String(),
  to: Type.String({ description: 'The number as written in the request.' }),
  message: Type.String(),
  timestamp: Timestamp,
  ...OPTIONAL_NOTES,
});

/** @param smsMaxChars longest SMS in characters, or 0 for no limit */
export function smsSendBody(smsMaxChars: number) {
  const limit = smsMaxChars > 0 ? { maxLength: smsMaxChars } : {};
  const rule = smsMaxChars > 0 ? `must be a text of 1 to ${smsMaxChars} characters` : 'must be a non-empty text';
  return Type.Object(
    {
      from: SenderId,
      to: Type.String({
        description: 'One destination number with country code, or up to 10,000 separated by commas.',
        examples: ['15005550111', '15005550111,+15005550112'],
        [RULE]: 'must be one phone number or several separated by commas, in one string',
      }),
      message: Type.String({
        description: 'Text of the SMS.',
        minLength: 1,
        pattern: NOT_BLANK,
        ...limit,
        examples: ['Hello'],
        [RULE]: `${rule}, with at least one visible character`,
      }),
      priority: Type.Optional(Priority),
      scheduled_at: Type.Optional(ScheduledAt),
      validity_period: Type.Optional(ValidityPeriod),
      fallback: Type.Optional(
        Type.Unknown({
          description: 'Refused: only WhatsApp messages sent with version 2 can fall back to an SMS.',
          deprecated: true,
        }),
      ),
      ...PURPOSE,
      ...NOTES,
      ...CALLBACK,
    },
    { [NULL_IS_ABSENT]: true, examples: [{ from: 'Heliograph', to: '15005550111', message: 'Hello' }] },
  );
}

export const SmsSendAnswer = Type.Object({
  status: Type.Literal('success'),
  message_id: Type.Optional(Id),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  timestamp: Type.Optional(Timestamp),
  ...OPTIONAL_NOTES,
  data: Type.Array(SentEntry),
});

export const SmsStatusParams = Type.Object({
  message_id: Type.String({ description: 'From the response to the send request.' }),
});

export const SmsStatusAnswer = Type.Object({
  status: Type.Unsafe<(typeof MESSAGE_STATUSES)[number]>({
    type: 'string',
    enum: [...MESSAGE_STATUSES],
    examples: ['delivered'],
  }),
  message_id: Id,
  to: Type.Union([Type.String(), Type.Null()], {
    description: 'The number as written in the request; null for a WhatsApp recipient without a number.',
  }),
  userId: Type.Optional(WHATSAPP_PERSON.userId),
  contactId: Type.Optional(Type.Union([Id, Type.Null()])),
  timestamp: Timestamp,
  ...OPTIONAL_NOTES,
});

export const BalanceAnswer = Type.Object({
  status: Type.Literal('success'),
  balance: Type.Number({ description: 'In units of the currency.', examples: [9999.98] }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  last_updated: Timestamp,
});

const DESCRIPTIONS = {
  400: 'The request is invalid; nothing was queued or changed.',
  401: 'The key is missing or invalid.',
  403: 'The key lacks the scope `rest`, or its account is disabled.',
  409: 'The resource is in a state that does not allow it, or a message created with this Idempotency-Key was deleted.',
  410: 'The cursor is too old or from another store: start again without it.',
};

export const SEND_ERRORS = [400, 401, 402, 403, 409, 413, 415, 422, 429, 500, 503] as const;
export const ESTIMATE_ERRORS = [400, 401, 403, 413, 415, 429, 500, 503] as const;
export const READ_ERRORS = [400, 401, 403, 429, 500, 503] as const;

export const errorsV1 = defineErrorResponses({ schema: ErrorV1, render: renderV1 }, DESCRIPTIONS);
export const errorsV2 = defineErrorResponses(
  { schema: ErrorV2, funded: ErrorV2Funded, render: renderV2 },
  DESCRIPTIONS,
);
