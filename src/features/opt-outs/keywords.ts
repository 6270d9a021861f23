/** Whether a keyword opts out (`stop`) or in again (`start`). */
export type OptOutMeaning = 'stop' | 'start';

/** Words that count on a button or list entry too, because they have no other meaning there. */
const UNAMBIGUOUS_WORDS: ReadonlyMap<string, OptOutMeaning> = new Map([
  ...['stop', 'unsubscribe', 'stopall', 'optout'].map((word) => [word, 'stop'] as const),
  ...['start', 'unstop'].map((word) => [word, 'start'] as const),
]);

/**
 * The words of every account: those that North American carriers require (CTIA Messaging Principles §5.1.3, 47 CFR
 * §64.1200(a)(10): stop, quit, end, revoke, opt out, cancel, unsubscribe), and their opposites.
 */
const WORDS: ReadonlyMap<string, OptOutMeaning> = new Map([
  ...UNAMBIGUOUS_WORDS,
  ...['cancel', 'end', 'quit', 'revoke'].map((word) => [word, 'stop'] as const),
]);

/** The words that every account has. */
export const COMMON_WORDS: readonly { word: string; meaning: OptOutMeaning }[] = [...WORDS].map(([word, meaning]) => ({
  word,
  meaning,
}));

/** In Unicode code points, after normalizing. */
export const MAX_WORD_LENGTH = 100;

/** Accents without a letter. NFKC would turn each into a space and a combining mark. */
const LONE_ACCENTS = /\p{Sk}/gu;
/** Punctuation, symbols, invisible characters (such as U+FE0F after an emoji) and enclosing marks, but not accents of letters. */
const IGNORED = /[\p{P}\p{S}\p{Cf}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Normalizes a text for comparison with keywords: removes punctuation, symbols, emoji, invisible characters and outer
 * spaces, folds case, and collapses inner spaces. "Stop!", "*STOP*", "~stop~" and "S.T.O.P." become `stop`; "please stop"
 * does not. The dot of a Turkish capital İ is removed, so "İPTAL" equals "iptal".
 */
export function normalizeKeyword(text: string): string {
  return text
    .replace(LONE_ACCENTS, '')
    .normalize('NFKC')
    .replace(IGNORED, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Removes inner spaces, because "opt out" and "stop all" are the words `optout` and `stopall`. */
export function withoutSpaces(word: string): string {
  return word.replaceAll(' ', '');
}

/**
 * The meaning that a normalized word has in every account, or null. Inner spaces do not matter.
 * @param tapped whether the word is the label of a tapped button or list entry. There, "Cancel" usually means an order.
 */
export function commonMeaning(word: string, { tapped = false } = {}): OptOutMeaning | null {
  return (tapped ? UNAMBIGUOUS_WORDS : WORDS).get(withoutSpaces(word)) ?? null;
}

/** Normalizes a text into a keyword; null if it is empty or too long for one. */
export function toKeyword(text: string): string | null {
  // Leaves room for some punctuation and emoji around the word, without normalizing long texts.
  if (text.length > 8 * MAX_WORD_LENGTH) return null;
  const word = normalizeKeyword(text);
  return word !== '' && [...word].length <= MAX_WORD_LENGTH ? word : null;
}
