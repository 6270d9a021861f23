export type OptOutMeaning = 'stop' | 'start';

/** Words that also count as the label of a tapped button or list entry, because they have no other meaning there. */
const UNAMBIGUOUS_WORDS: ReadonlyMap<string, OptOutMeaning> = new Map([
  ...['stop', 'unsubscribe', 'stopall', 'optout'].map((word) => [word, 'stop'] as const),
  ...['start', 'unstop'].map((word) => [word, 'start'] as const),
]);

/**
 * Opt-out words that North American carriers require (CTIA Messaging Principles §5.1.3, 47 CFR §64.1200(a)(10)), and
 * the opposite words.
 */
const WORDS: ReadonlyMap<string, OptOutMeaning> = new Map([
  ...UNAMBIGUOUS_WORDS,
  ...['cancel', 'end', 'quit', 'revoke'].map((word) => [word, 'stop'] as const),
]);

export const COMMON_WORDS: readonly { word: string; meaning: OptOutMeaning }[] = [...WORDS].map(([word, meaning]) => ({
  word,
  meaning,
}));

/** Maximum length of a normalized word in Unicode code points. */
export const MAX_WORD_LENGTH = 100;

/** Accents without a letter, which NFKC would turn into a space and a combining mark. */
const LONE_ACCENTS = /\p{Sk}/gu;
/** Keeps accents of letters. */
const IGNORED_CHARACTERS = /[\p{P}\p{S}\p{Cf}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Normalizes a text for comparison with keywords. "Stop!", "*STOP*", "~stop~" and "S.T.O.P." become `stop`, but "please
 * stop" does not. The dot of a Turkish capital İ is removed, so that "İPTAL" matches "iptal".
 */
export function normalizeKeyword(text: string): string {
  return text
    .replace(LONE_ACCENTS, '')
    .normalize('NFKC')
    .replace(IGNORED_CHARACTERS, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('i\u0307', 'i')
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** Turns "opt out" and "stop all" into the keywords `optout` and `stopall`. */
export function removeSpaces(word: string): string {
  return word.replaceAll(' ', '');
}

/**
 * `tapped` means that the word is the label of a tapped button or list entry, where "Cancel" usually refers to an
 * order.
 */
export function getCommonMeaning(word: string, { tapped = false } = {}): OptOutMeaning | null {
  return (tapped ? UNAMBIGUOUS_WORDS : WORDS).get(removeSpaces(word)) ?? null;
}

/** Returns null for a text that is empty or too long. */
export function toKeyword(text: string): string | null {
  // The limit avoids normalizing long texts, but leaves room for punctuation and emoji around a word.
  if (text.length > 8 * MAX_WORD_LENGTH) return null;
  const word = normalizeKeyword(text);
  return word !== '' && [...word].length <= MAX_WORD_LENGTH ? word : null;
}
