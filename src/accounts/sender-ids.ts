import { NOT_BLANK } from '../platform/errors/field-problems.js';

/** In Unicode code points. */
export const MAX_SENDER_ID = 18;

/** The rule completes an error message that starts with the field's name. */
export const SENDER_ID_RULE = `must be 1 to ${MAX_SENDER_ID} printable characters`;

/** Forbids control characters, line separators and characters that change the text direction. Needs the `u` flag. */
export const SENDER_ID_PATTERN = `^(?=.*${NOT_BLANK})[^\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]{1,${MAX_SENDER_ID}}$`;

const SENDER_ID = new RegExp(SENDER_ID_PATTERN, 'u');

export function isSenderId(text: string): boolean {
  return SENDER_ID.test(text);
}
