import { storable } from '../../platform/store/storable.js';

/** Stands before a text that is kept in another form; no character of any text (Unicode, 23.7). */
const OTHER_FORM = '\uffff';

/**
 * The text of a part as PostgreSQL can store it, with nothing lost: two parts may share a character, each with a half of its
 * surrogate pair.
 */
export function keptText(text: string): string {
  return storable(text) === text && !text.startsWith(OTHER_FORM) ? text : OTHER_FORM + JSON.stringify(text);
}

/** The text of a part that was kept. */
export function textOfKept(kept: string): string {
  if (!kept.startsWith(OTHER_FORM)) return kept;
  try {
    return JSON.parse(kept.slice(OTHER_FORM.length)) as string;
  } catch {
    // A version before kept every text as it was.
    return kept;
  }
}
