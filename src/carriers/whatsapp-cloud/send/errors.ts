import type { WordsForPeople } from '../../../platform/errors/app-error.js';
import { CarrierError } from '../../carrier-error.js';
import { obeyedMs, retryAfterMs, strangeAnswer } from '../../http/errors.js';
import { codeOf } from '../callbacks/fields.js';
import type { GraphAnswer } from './graph-client.js';

/** Meta's `error` object, as far as it is used; Meta asks to decide on `code` alone ("Cloud API error codes"). */
export interface MetaError {
  code: number;
  subcode: number | null;
  /** What Meta says, with the details where there are some. */
  text: string;
  /** What Meta says for people to read, as about a template that it does not take (Graph API, "Error handling"). */
  forPeople: WordsForPeople | null;
}

/** What an error holds up beside its own message. */
export type ErrorScope =
  /** Nothing. */
  | 'message'
  /** Further messages from this number to this recipient. */
  | 'pair'
  /** Everything from this number. */
  | 'number'
  /** Everything that is sent with this token. */
  | 'carrier'
  /** Everything that is sent with this token, until it is replaced. */
  | 'token'
  /** Everything of the channel, until an operator resumes it. */
  | 'channel';

/**
 * What a channel's `healthStatus` says of errors that concern its number, its account or what the token may do (Meta,
 * "Cloud API error codes"): each message would fail like this one, until somebody has done something about it at Meta.
 */
const CHANNEL_HEALTH: ReadonlyMap<number, string> = new Map([
  // Authorization: a capability or a permission was not granted, or was taken away. So are 200 to 299.
  [3, 'permission_missing'],
  [10, 'permission_missing'],
  [131005, 'permission_missing'],
  // Integrity: the account was restricted, disabled or locked.
  [368, 'account_restricted'],
  [131031, 'account_restricted'],
  [131042, 'payment_problem'],
  // The number was deleted; its name is not approved; it is not registered, or must be verified anew.
  [33, 'number_unknown'],
  [131037, 'name_not_approved'],
  [131045, 'number_not_registered'],
  [133006, 'number_not_registered'],
  [133010, 'number_not_registered'],
]);

/** The recipient stopped marketing messages of the business ("Cloud API error codes"). */
export const STOPPED = '131050';
/** What it is about, as the field `user_preferences` calls it. */
export const STOPPED_CATEGORY = 'marketing_messages';

/** The Graph API's subcode of 100 for an object that does not exist, or that the token may not see. */
const NO_SUCH_OBJECT = 33;

/** What an error says of a channel's health; null for one that does not concern the whole channel. */
export function channelHealthOf(code: number, subcode: number | null = null): string | null {
  if (code >= 200 && code <= 299) return 'permission_missing';
  if (code === 100 && subcode === NO_SUCH_OBJECT) return 'number_unknown';
  return CHANNEL_HEALTH.get(code) ?? null;
}

/** Codes after which another try may succeed (Meta, "Cloud API error codes"), and what they hold up until then. */
const RETRYABLE: ReadonlyMap<number, ErrorScope> = new Map([
  // Authentication: the token expired, was revoked or never was one.
  [0, 'token'],
  [190, 'token'],
  // Meta's own trouble.
  [1, 'message'],
  [2, 'message'],
  [131000, 'message'],
  [131016, 'message'],
  [131057, 'message'],
  [133004, 'message'],
  // Calls of the app, and of the business account, in an hour.
  [4, 'carrier'],
  [80007, 'carrier'],
  // Throughput of the number, and too many of its messages blocked.
  [130429, 'number'],
  [131048, 'number'],
  // Too many messages from this number to this recipient.
  [131056, 'pair'],
]);

export const TOKEN_REFUSED = 'Meta refuses the access token: it has expired, was revoked, or is not one.';

/** Why Meta did not take a message, and what that holds up. */
export interface Refusal {
  error: CarrierError;
  scope: ErrorScope;
  /** Of the scope `channel`: the word for its `healthStatus`. */
  health: string | null;
}

/** The error that an answer carries; null when it carries none. */
export function metaErrorOf({ body }: Pick<GraphAnswer, 'body'>): MetaError | null {
  const error = body?.error as Record<string, unknown> | undefined;
  const code = typeof error === 'object' && error !== null ? codeOf(error.code) : null;
  if (!error || code === null) return null;
  const message = typeof error.message === 'string' ? error.message : '';
  const forPeople = wordsForPeople(error);
  const details = [(error.error_data as { details?: unknown } | undefined)?.details, inOneLine(forPeople)];
  const more = details.filter(
    (each): each is string => typeof each === 'string' && each !== '' && !message.includes(each),
  );
  const text = more.length > 0 ? `${message} (${[...new Set(more)].join('; ')})`.trim() : message;
  const subcode = typeof error.error_subcode === 'number' ? error.error_subcode : null;
  return { code, subcode, text, forPeople };
}

function wordsForPeople({
  error_user_title: title,
  error_user_msg: text,
}: Record<string, unknown>): WordsForPeople | null {
  const words = { title: typeof title === 'string' ? title : '', text: typeof text === 'string' ? text : '' };
  return words.title === '' && words.text === '' ? null : words;
}

function inOneLine(words: WordsForPeople | null): string {
  return words === null ? '' : [words.title, words.text].filter((each) => each !== '').join(': ');
}

/** What an answer other than a success means. Every error of Meta's own says that the request was not carried out. */
export function refusalOf(answer: GraphAnswer): Refusal {
  const meta = metaErrorOf(answer);
  if (!meta) return { error: strangeAnswer(answer, 'Meta'), scope: 'message', health: null };
  const health = channelHealthOf(meta.code, meta.subcode);
  const scope = health === null ? RETRYABLE.get(meta.code) : 'channel';
  // Meta quotes a malformed token in its message, so nothing of it is passed on.
  const text = scope === 'token' ? TOKEN_REFUSED : meta.text || `Meta refused it with the code ${meta.code}.`;
  const retryable = scope !== undefined || answer.status >= 500 || answer.status === 429;
  return {
    // Words for people may repeat what was sent, as a token is.
    error: CarrierError.refused(String(meta.code), text, {
      retryable,
      ...(scope !== 'token' && meta.forPeople && { forPeople: meta.forPeople }),
    }),
    scope: scope ?? 'message',
    health,
  };
}

/**
 * Milliseconds for which Meta asks to be left alone, by `Retry-After`, or by the minutes of
 * `X-Business-Use-Case-Usage` ("Rate limits"), an hour at most; null where it does not say.
 */
export function retryAfterMsOf({ headers }: Pick<GraphAnswer, 'headers'>, now: Date): number | null {
  const asked = retryAfterMs({ headers }, now);
  if (asked !== null) return asked;
  const minutes = [
    ...String(headers['x-business-use-case-usage'] ?? '').matchAll(/"estimated_time_to_regain_access":\s*(\d{1,6})/g),
  ];
  const longest = Math.max(0, ...minutes.map(([, each]) => Number(each)));
  return longest > 0 ? obeyedMs(longest * 60_000) : null;
}
