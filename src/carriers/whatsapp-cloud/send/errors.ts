import type { CarrierExplanation } from '../../../platform/errors/app-error.js';
import { CarrierError } from '../../carrier-error.js';
import { createFormatError, limitPauseMs, readRetryAfterMs } from '../../http/errors.js';
import type { GraphAnswer } from './graph-client.js';

/** An error from Meta, which advises to rely only on `code` ("Cloud API error codes"). */
export interface MetaError {
  code: number;
  subcode: number | null;
  /** Meta's message, with details if there are any. */
  text: string;
  /** Explanation for end users (Graph API, "Error handling"). */
  carrierExplanation: CarrierExplanation | null;
}

export type ErrorScope =
  | 'message'
  /** Blocks messages from this number to this recipient. */
  | 'pair'
  /** Blocks all messages from this number. */
  | 'number'
  /** Blocks all messages sent with this token. */
  | 'carrier'
  | 'token'
  /** Blocks all messages of the channel, until an operator resumes the channel. */
  | 'channel';

/**
 * Channel health by error code (Meta, "Cloud API error codes"). After these errors, messages fail until an operator
 * fixes the cause at Meta.
 */
const CHANNEL_HEALTH: ReadonlyMap<number, string> = new Map([
  // A permission was not granted or was revoked; codes 200 to 299 mean the same.
  [3, 'permission_missing'],
  [10, 'permission_missing'],
  [131005, 'permission_missing'],
  // The account is restricted, disabled or locked.
  [368, 'account_restricted'],
  [131031, 'account_restricted'],
  [131042, 'payment_problem'],
  // The number was deleted, is not registered or must be verified again, or its display name is not approved.
  [33, 'number_unknown'],
  [131037, 'name_not_approved'],
  [131045, 'number_not_registered'],
  [133006, 'number_not_registered'],
  [133010, 'number_not_registered'],
]);

/** Code for a recipient who stopped marketing messages from the business (Meta, "Cloud API error codes"). */
export const MARKETING_STOPPED_CODE = '131050';
/** Category name that the webhook field `user_preferences` uses. */
export const MARKETING_CATEGORY = 'marketing_messages';

/** Subcode of error 100, which means that the object does not exist or the token may not access it. */
const NO_SUCH_OBJECT = 33;

/** Meta documents error codes as numbers, but some webhooks contain text. */
export function readErrorCode(value: unknown): number | null {
  const code = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  return typeof code === 'number' ? code : null;
}

/** Returns null if the error does not concern the whole channel. */
export function findChannelHealth(code: number, subcode: number | null = null): string | null {
  if (code >= 200 && code <= 299) return 'permission_missing';
  if (code === 100 && subcode === NO_SUCH_OBJECT) return 'number_unknown';
  return CHANNEL_HEALTH.get(code) ?? null;
}

/** Errors after which a retry may succeed, and which messages each error blocks until then (Meta, "Cloud API error codes"). */
const RETRYABLE: ReadonlyMap<number, ErrorScope> = new Map([
  // The token has expired, was revoked or is invalid.
  [0, 'token'],
  [190, 'token'],
  [1, 'message'],
  [2, 'message'],
  [131000, 'message'],
  [131016, 'message'],
  [131057, 'message'],
  [133004, 'message'],
  // The app or the business account has reached its hourly call limit.
  [4, 'carrier'],
  [80007, 'carrier'],
  // The number has reached its throughput limit, or too many recipients have blocked it.
  [130429, 'number'],
  [131048, 'number'],
  // The number has sent too many messages to this recipient.
  [131056, 'pair'],
]);

export const TOKEN_REFUSED = 'Meta refuses the access token: it is invalid, expired or revoked.';

export interface Refusal {
  error: CarrierError;
  scope: ErrorScope;
  /** Health status of the channel; null unless the scope is `channel`. */
  health: string | null;
}

export function readMetaError({ body }: Pick<GraphAnswer, 'body'>): MetaError | null {
  const error = body?.error as Record<string, unknown> | undefined;
  const code = typeof error === 'object' && error !== null ? readErrorCode(error.code) : null;
  if (!error || code === null) return null;
  const message = typeof error.message === 'string' ? error.message : '';
  const carrierExplanation = readUserMessage(error);
  const details = [
    (error.error_data as { details?: unknown } | undefined)?.details,
    joinUserMessage(carrierExplanation),
  ];
  const newDetails = details.filter(
    (detail): detail is string => typeof detail === 'string' && detail !== '' && !message.includes(detail),
  );
  const text = newDetails.length > 0 ? `${message} (${[...new Set(newDetails)].join('; ')})`.trim() : message;
  const subcode = typeof error.error_subcode === 'number' ? error.error_subcode : null;
  return { code, subcode, text, carrierExplanation };
}

function readUserMessage({
  error_user_title: title,
  error_user_msg: text,
}: Record<string, unknown>): CarrierExplanation | null {
  const userMessage = { title: typeof title === 'string' ? title : '', text: typeof text === 'string' ? text : '' };
  return userMessage.title === '' && userMessage.text === '' ? null : userMessage;
}

function joinUserMessage(userMessage: CarrierExplanation | null): string {
  return userMessage === null ? '' : [userMessage.title, userMessage.text].filter((part) => part !== '').join(': ');
}

/** An error from Meta means that the request was not executed. */
export function toRefusal(answer: GraphAnswer): Refusal {
  const metaError = readMetaError(answer);
  if (!metaError) return { error: createFormatError(answer, 'Meta'), scope: 'message', health: null };
  const health = findChannelHealth(metaError.code, metaError.subcode);
  const scope = health === null ? RETRYABLE.get(metaError.code) : 'channel';
  // Token errors get a fixed text, because Meta's message may quote a malformed token.
  const text =
    scope === 'token' ? TOKEN_REFUSED : metaError.text || `Meta refused the request with error code ${metaError.code}.`;
  const retryable = scope !== undefined || answer.status >= 500 || answer.status === 429;
  return {
    // For token errors, Meta's explanation is omitted, because it may quote the token.
    error: CarrierError.refused(`${metaError.code}`, text, {
      retryable,
      ...(scope !== 'token' && metaError.carrierExplanation && { carrierExplanation: metaError.carrierExplanation }),
    }),
    scope: scope ?? 'message',
    health,
  };
}

/** Reads at most an hour from `Retry-After`, or from the minutes in `X-Business-Use-Case-Usage` (Meta, "Rate limits"). */
export function readRetryDelayMs({ headers }: Pick<GraphAnswer, 'headers'>, now: Date): number | null {
  const retryAfter = readRetryAfterMs({ headers }, now);
  if (retryAfter !== null) return retryAfter;
  const minutes = [
    ...String(headers['x-business-use-case-usage'] ?? '').matchAll(/"estimated_time_to_regain_access":\s*(\d{1,6})/g),
  ];
  const longestMinutes = Math.max(0, ...minutes.map(([, minuteText]) => Number(minuteText)));
  return longestMinutes > 0 ? limitPauseMs(longestMinutes * 60_000) : null;
}
