export type OptOutMeaning = 'stop' | 'start';

/** Words that count on a button or list entry too, because they have no other meaning there. */
const UNAMBIGUOUS_WORDS: ReadonlyMap<string, OptOutMeaning> = new Map([
  ...['stop', 'unsubscribe', 'stopall', 'optout'].map((word) => [word, 'stop'] as const),
  ...['start', 'unstop'].map((word) => [word, 'start'] as const),
]);

/**
 * Words that North American carriers require (CTIA Messaging Principles §5.1.3, 47 CFR §64.1200(a)(10)), and their
 * opposites.
 */
const WORDS: ReadonlyMap<string, OptOutMeaning> = new Map([
  ...UNAMBIGUOUS_WORDS,
  ...['cancel', 'end', 'quit', 'revoke'].map((word) => [word, 'stop'] as const),
]);

export const COMMON_WORDS: readonly { word: string; meaning: OptOutMeaning }[] = [...WORDS].map(([word, meaning]) => ({
  word,
  meaning,
}));

/** In Unicode code points, after normalizing. */
export const MAX_WORD_LENGTH = 100;

/** Accents without a letter. NFKC would turn each into a space and a combining mark. */
const LONE_ACCENTS = /\p{Sk}/gu;
/** Keeps accents of letters. */
const IGNORED_CHARACTERS = /[\p{P}\p{S}\p{Cf}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Normalizes a text for comparison with keywords. "Stop!", "*STOP*", "~stop~" and "S.T.O.P." become `stop`; "please
 * stop" does not. The dot of a Turkish capital İ is removed, so "İPTAL" equals "iptal".
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

/** "Opt out" and "stop all" are the words `optout` and `stopall`. */
export function removeSpaces(word: string): string {
  return word.replaceAll(' ', '');
}

/**
 * @param tapped whether the word is the label of a tapped button or list entry. There, "Cancel" usually means an order.
 */
export function getCommonMeaning(word: string, { tapped = false } = {}): OptOutMeaning | null {
  return (tapped ? UNAMBIGUOUS_WORDS : WORDS).get(removeSpaces(word)) ?? null;
}

/** Null for a text that is empty or too long. */
export function toKeyword(text: string): string | null {
  // Leaves room for some punctuation and emoji around the word, without normalizing long texts.
  if (text.length > 8 * MAX_WORD_LENGTH) return null;
  const word = normalizeKeyword(text);
  return word !== '' && [...word].length <= MAX_WORD_LENGTH ? word : null;
}
