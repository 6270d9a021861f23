import { NOT_BLANK } from '../platform/errors/field-problems.js';

/** Most characters of a Sender ID, in Unicode code points. */
export const MAX_SENDER_ID = 18;

/** What a Sender ID must be, as it follows the name of its field. */
export const SENDER_ID_RULE = `must be 1 to ${MAX_SENDER_ID} printable characters`;

/**
 * Pattern of a Sender ID, for a regular expression with the flag `u`: something to read, and no control characters, line
 * separators or characters that turn the direction of writing.
 */
export const SENDER_ID_PATTERN = `^(?=.*${NOT_BLANK})[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]{1,${MAX_SENDER_ID}}$`;

const SENDER_ID = new RegExp(SENDER_ID_PATTERN, 'u');

/** Whether an SMS may leave with a Sender ID, whoever may use it. */
export function isSenderId(text: string): boolean {
  return SENDER_ID.test(text);
}
