import { isSenderId, SENDER_ID_RULE } from '../../accounts/sender-ids.js';
import type { SmsFallback } from '../../carriers/content.js';
import { countParts, MAX_PARTS } from '../../carriers/sms/segments.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { isBlank, isLongerThan, type WordedProblem } from '../../platform/errors/field-problems.js';

/** Validated by the schema. */
export interface FallbackInput {
  channel: 'sms';
  from: string;
  message?: string;
}

/**
 * Plans the SMS that replaces a failed message. The SMS is valid for as long as the message, counted from the creation of the
 * SMS.
 * @param content type of the request's content, or null if the content is invalid
 * @param validitySeconds validity in the request, or undefined for the default
 * @param problems receives rule violations
 */
export function planFallback(
  { fallback }: { fallback?: FallbackInput },
  content: string | null,
  validitySeconds: number | undefined,
  problems: WordedProblem[],
): SmsFallback | undefined {
  if (!fallback) return undefined;
  if (!isSenderId(fallback.from)) problems.push({ field: 'fallback.from', rule: SENDER_ID_RULE });
  if (content === 'sms') problems.push({ field: 'fallback', rule: 'must not be sent with the channel sms' });
  return {
    from: fallback.from,
    ...(fallback.message && !isBlank(fallback.message) && { message: fallback.message }),
    ...(validitySeconds !== undefined && { validitySeconds }),
  };
}

/**
 * @param text the WhatsApp message's own text, used if the fallback has none
 * @param smsMaxChars longest SMS in characters, or 0 for no limit
 * @throws {AppError} INVALID_REQUEST on `fallback.message` if it is empty or too long for an SMS
 */
export function checkFallback(fallback: SmsFallback, text: string, smsMaxChars: number): void {
  const message = fallback.message ?? text;
  const field = 'fallback.message';
  if (isBlank(message)) throw invalidField(field, 'is required if the message has no text');
  if (smsMaxChars > 0 && isLongerThan(message, smsMaxChars)) {
    const hint =
      fallback.message === undefined ? '; without it, the text of the message is used, which is too long' : '';
    throw invalidField(field, `must not be longer than ${smsMaxChars} characters${hint}`);
  }
  const parts = countParts(message);
  if (parts > MAX_PARTS) throw invalidField(field, `must not need more than ${MAX_PARTS} SMS parts, not ${parts}`);
}
