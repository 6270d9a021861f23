import { readTerm } from './term.js';

/** Binds a value to a statement and names its parameter. */
export type Bind = (value: unknown) => string;

/** The trigrams of a contact, as in the index. */
const KEYS = 'contact_keys(c.channel_id, c.id, c.search)';

/** The shape of a term, as part of the statement name. */
export function termShape(term: string): string {
  const { texts, folded } = readTerm(term);
  return `-term${texts.length}${folded ? 'f' : ''}`;
}

/** The condition that contacts `c` contain a term in any case. PostgreSQL lowercases both sides. */
export function holdsTerm(term: string, bind: Bind): string {
  const { texts, folded } = readTerm(term);
  // Escapes the special characters of LIKE.
  const like = (text: string) => bind(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
  // All forms of a folded term fold to the same text, so one is enough.
  const alternatives = folded
    ? [`${fold('c.search')} LIKE ${fold(`lower(${like(texts[0] as string)})`)}`]
    : texts.map((text) => `c.search LIKE lower(${like(text)})`);
  return `(${alternatives.join(' OR ')})`;
}

/** The condition that contacts `c` may contain a term, by the trigram index. It needs `holdsTerm` in addition. */
export function mayHoldTerm(term: string, channel: string, bind: Bind): string {
  const { texts } = readTerm(term);
  return `(${texts.map((text) => `${KEYS} @> contact_keys(${channel}, NULL, lower(${bind(text)}))`).join(' OR ')})`;
}

/** The length of a trigram. Shorter terms cannot use the index. */
export const SHORTEST_KEYED_TERM = 3;

/** The length of the shortest alternative of a term. */
export function termLength(term: string): number {
  return Math.min(...readTerm(term).texts.map((text) => [...text].length));
}

function fold(text: string): string {
  return `fold_letters(${text})`;
}
