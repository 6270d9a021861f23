import { isSenderId, SENDER_ID_RULE } from '../../accounts/sender-ids.js';
import type { SmsFallback } from '../../carriers/content.js';
import { countParts, MAX_PARTS } from '../../carriers/sms/segments.js';
import { invalidField } from '../../platform/errors/app-error.js';
import { isBlank, isLongerThan, type WordedProblem } from '../../platform/errors/field-problems.js';

/** `fallback` of a `/v2/send` request, as its schema has checked it. */
export interface FallbackInput {
  channel: 'sms';
  /** Sender ID of the SMS. */
  from: string;
  message?: string;
}

/**
 * The SMS that is to be sent should WhatsApp fail; undefined without one.
 * @param content type of the request's content; null when that is broken
 * @param problems told of a Sender ID that is none, and of a fallback of what is an SMS already
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
 * Checks the text that a fallback would send, which may be that of a rendered template.
 * @param text the WhatsApp message's own
 * @param smsMaxChars most characters of an SMS; 0: no limit
 * @throws {AppError} INVALID_REQUEST on `fallback.message` when it is empty or too long for an SMS
 */
export function checkFallback(fallback: SmsFallback, text: string, smsMaxChars: number): void {
  const message = fallback.message ?? text;
  const field = 'fallback.message';
  if (isBlank(message)) throw invalidField(field, 'is required where the message has no text of its own');
  if (smsMaxChars > 0 && isLongerThan(message, smsMaxChars)) {
    const whose = fallback.message === undefined ? ', and neither must the message without it' : '';
    throw invalidField(field, `must not be longer than ${smsMaxChars} characters${whose}`);
  }
  const parts = countParts(message);
  if (parts > MAX_PARTS) throw invalidField(field, `must not need more than ${MAX_PARTS} SMS parts, not ${parts}`);
}
