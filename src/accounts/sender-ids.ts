import { NOT_BLANK } from '../platform/errors/field-problems.js';

/** Maximum length of a sender ID, in Unicode code points. */
export const MAX_SENDER_ID = 18;

/** The rule for sender IDs, as it follows a field name. */
export const SENDER_ID_RULE = `must be 1 to ${MAX_SENDER_ID} printable characters`;

/**
 * Requires something to read, without control characters, line separators or characters that change the text direction.
 * Use it with the `u` flag.
 */
export const SENDER_ID_PATTERN = `^(?=.*${NOT_BLANK})[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]{1,${MAX_SENDER_ID}}$`;

const SENDER_ID = new RegExp(SENDER_ID_PATTERN, 'u');

/** Returns whether a text is a valid sender ID, for any account. */
export function isSenderId(text: string): boolean {
  return SENDER_ID.test(text);
}
