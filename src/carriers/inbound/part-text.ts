import { toStorable } from '../../platform/store/storable.js';

/** U+FFFF is a noncharacter (Unicode, 23.7), so no text starts with it. */
const JSON_MARKER = '\uffff';

/** Two parts may share a character, each with half of its surrogate pair, which PostgreSQL does not accept. */
export function encodePartText(text: string): string {
  return toStorable(text) === text && !text.startsWith(JSON_MARKER) ? text : JSON_MARKER + JSON.stringify(text);
}

export function decodePartText(stored: string): string {
  if (!stored.startsWith(JSON_MARKER)) return stored;
  try {
    return JSON.parse(stored.slice(JSON_MARKER.length)) as string;
  } catch {
    // Earlier versions stored texts without the marker.
    return stored;
  }
}
