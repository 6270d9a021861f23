import { isSenderId, SENDER_ID_RULE } from '../../accounts/sender-ids.js';
import type { SmsFallback } from '../../carriers/content.js';
import { countParts, MAX_PARTS } from '../../carriers/sms/segments.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { isBlank, isLongerThan, type WordedProblem } from '../../platform/errors/field-problems.js';

/** After schema validation. */
export interface FallbackInput {
  channel: 'sms';
  from: string;
  message?: string;
}

/**
 * @param content type of the request's content; null if it is invalid
 * @param problems receives rule violations
 */
export function planFallback(
  body: { fallback?: FallbackInput; validity_period?: number },
  content: string | null,
  problems: WordedProblem[],
): SmsFallback | undefined {
  const { fallback, validity_period } = body;
  if (!fallback) return undefined;
  if (!isSenderId(fallback.from)) problems.push({ field: 'fallback.from', rule: SENDER_ID_RULE });
  if (content === 'sms') problems.push({ field: 'fallback', rule: 'must not be sent with the channel sms' });
  return {
    from: fallback.from,
    ...(fallback.message && !isBlank(fallback.message) && { message: fallback.message }),
    ...(validity_period !== undefined && { validitySeconds: validity_period }),
  };
}

/**
 * @param text the WhatsApp message's own text, used if the fallback has none
 * @param smsMaxChars 0: no limit
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
