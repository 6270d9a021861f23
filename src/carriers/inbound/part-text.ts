import { toStorable } from '../../platform/store/storable.js';

/** U+FFFF is a noncharacter (Unicode, 23.7), so no text starts with it. */
const JSON_MARKER = '\uffff';

/** Parts are stored as JSON, because a character may be split into two surrogates, which PostgreSQL does not accept. */
export function encodePartText(text: string): string {
  return toStorable(text) === text && !text.startsWith(JSON_MARKER) ? text : JSON_MARKER + JSON.stringify(text);
}

export function decodePartText(stored: string): string {
  if (!stored.startsWith(JSON_MARKER)) return stored;
  try {
    return JSON.parse(stored.slice(JSON_MARKER.length)) as string;
  } catch {
    // A text without the marker is returned unchanged, because earlier versions stored texts without it.
    return stored;
  }
}
