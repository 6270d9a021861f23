import { Type } from '@sinclair/typebox';
import { MESSAGE_STATUSES } from '../../messages/status/status.js';
import { RULE } from '../http/validation.js';
import { ErrorV1 } from './errors.js';

const FROM_RULE = 'must be 1 to 18 printable characters';
/** No control characters, line separators or characters that turn the direction of writing; not only spaces. */
const PRINTABLE = '^(?=.*\\S)[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]{1,18}$';

/** Sender ID of both versions. */
export const SenderId = Type.String({
  description: 'Sender ID: 1 to 18 printable characters.',
  minLength: 1,
  maxLength: 18,
  pattern: PRINTABLE,
  examples: ['Heliograph'],
  [RULE]: FROM_RULE,
});

export const MessageId = Type.String({ format: 'uuid', examples: ['0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'] });
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
  examples: ['2026-11-21T08:30:00.000Z'],
});

/** One accepted message, as both versions list it in `data`. */
export const SentEntry = Type.Object({
  message_id: MessageId,
  message_count: Type.Integer({ description: 'Number of SMS parts; 1 for WhatsApp.', examples: [1] }),
  from: Type.String(),
  to: Type.String({ description: 'The number as the request wrote it.' }),
  message: Type.String(),
  timestamp: Timestamp,
});

/** @param smsMaxChars most characters of a text; 0: no limit */
export function smsSendBody(smsMaxChars: number) {
  const limit = smsMaxChars > 0 ? { maxLength: smsMaxChars } : {};
  const rule =
    smsMaxChars > 0 ? `must be a text of 1 to ${smsMaxChars} characters` : 'must be a text that is not empty';
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
        ...limit,
        examples: ['Hello'],
        [RULE]: rule,
      }),
    },
    { examples: [{ from: 'Heliograph', to: '15005550111', message: 'Hello' }] },
  );
}

/** One destination: its fields at the top and in `data`; several: `data` alone. */
export const SmsSendAnswer = Type.Object({
  status: Type.Literal('success'),
  message_id: Type.Optional(MessageId),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  timestamp: Type.Optional(Timestamp),
  data: Type.Array(SentEntry),
});

export const SmsStatusParams = Type.Object({
  message_id: Type.String({ description: 'From the answer of the send.' }),
});

export const SmsStatusAnswer = Type.Object({
  status: Type.Unsafe<(typeof MESSAGE_STATUSES)[number]>({
    type: 'string',
    enum: [...MESSAGE_STATUSES],
    examples: ['delivered'],
  }),
  message_id: MessageId,
  to: Type.String({ description: 'The number as the request wrote it.' }),
  timestamp: Timestamp,
});

export const BalanceAnswer = Type.Object({
  status: Type.Literal('success'),
  balance: Type.Number({ description: 'In units of the currency.', examples: [9999.98] }),
  currency: Type.String({ description: 'ISO 4217.', examples: ['USD'] }),
  last_updated: Timestamp,
});

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; nothing was queued or changed.',
  401: 'The key is missing or invalid.',
  402: 'The balance is too low; nothing was queued.',
  403: 'The key lacks the scope `rest`.',
  404: 'The resource does not exist.',
  409: 'The resource is in a state that does not allow it.',
  413: 'The request body is too large.',
  415: 'The request body is not JSON.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests; `Retry-After` says when to try again.',
  500: 'Internal server error.',
  503: 'The server cannot take the request now; it may or may not have been accepted.',
};

/** The responses of a route that are errors, each with its description. */
export function errorResponses<T extends object>(schema: T, statuses: readonly (keyof typeof ERRORS)[]) {
  return Object.fromEntries(statuses.map((status) => [status, { ...schema, description: ERRORS[status] }]));
}

export const SEND_ERRORS = [400, 401, 402, 403, 413, 415, 422, 429, 500, 503] as const;
/** Of an operation that takes a body but changes nothing. */
export const ESTIMATE_ERRORS = [400, 401, 403, 413, 415, 429, 500, 503] as const;
export const READ_ERRORS = [400, 401, 403, 429, 500, 503] as const;

export const errorsV1 = (statuses: readonly number[]) => errorResponses(ErrorV1, statuses);
