/** What an inbound word does: no more messages, or messages again. */
export type OptOutMeaning = 'stop' | 'start';

/** The words that a button or a list entry offers in no other sense. */
const UNAMBIGUOUS_WORDS: ReadonlyMap<string, OptOutMeaning> = new Map([
  ...['stop', 'unsubscribe', 'stopall', 'optout'].map((word) => [word, 'stop'] as const),
  ...['start', 'unstop'].map((word) => [word, 'start'] as const),
]);

/**
 * The words of every account: those that carriers of North America require of a sender (CTIA Messaging Principles §5.1.3, 47 CFR
 * §64.1200(a)(10): stop, quit, end, revoke, opt out, cancel, unsubscribe), and their opposites.
 */
const WORDS: ReadonlyMap<string, OptOutMeaning> = new Map([
  ...UNAMBIGUOUS_WORDS,
  ...['cancel', 'end', 'quit', 'revoke'].map((word) => [word, 'stop'] as const),
]);

/** The words of every account, in their order above. */
export const COMMON_WORDS: readonly { word: string; meaning: OptOutMeaning }[] = [...WORDS].map(([word, meaning]) => ({
  word,
  meaning,
}));

/** Longest word in Unicode code points, once it is normalized. */
export const MAX_WORD_LENGTH = 100;

/** Accents that stand by themselves: NFKC would make each of them a blank with a combining mark. */
const LONE_ACCENTS = /\p{Sk}/gu;
/** Punctuation, symbols, what is invisible (U+FE0F behind an emoji, say), and marks that enclose; not marks of letters. */
const IGNORED = /[\p{P}\p{S}\p{Cf}\p{Me}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A text as it is compared with the words: without punctuation, symbols, emoji, invisible characters and blanks around
 * it, in one case, and with single blanks inside. "Stop!", "*STOP*", "~stop~" and "S.T.O.P." are `stop`; "please stop"
 * is not. The dot of a Turkish capital İ goes too, so that "İPTAL" and "iptal" are one word.
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

/** A normalized word without the spaces inside: "opt out" and "stop all" are the words of the list. */
export function withoutSpaces(word: string): string {
  return word.replaceAll(' ', '');
}

/**
 * What a normalized word means to every account, with or without spaces inside; null when it means nothing.
 * @param tapped it is the label of a button or a list entry, not a text: then "Cancel" is about what the label stands
 * below, an order say, and not about messages
 */
export function commonMeaning(word: string, { tapped = false } = {}): OptOutMeaning | null {
  return (tapped ? UNAMBIGUOUS_WORDS : WORDS).get(withoutSpaces(word)) ?? null;
}

/** A text that is short enough to be a word, normalized; null when it is none. */
export function toKeyword(text: string): string | null {
  // Punctuation and emoji may surround a word, but not hundreds of characters of it.
  if (text.length > 8 * MAX_WORD_LENGTH) return null;
  const word = normalizeKeyword(text);
  return word !== '' && [...word].length <= MAX_WORD_LENGTH ? word : null;
}
