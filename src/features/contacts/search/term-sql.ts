import { readTerm } from './term.js';

export type Bind = (value: unknown) => string;

const KEYS = 'contact_keys(c.channel_id, c.id, c.search)';

export function termShape(term: string): string {
  const { texts, folded } = readTerm(term);
  return `-term${texts.length}${folded ? 'f' : ''}`;
}

/** Ignores case; PostgreSQL lowercases both sides. */
export function holdsTerm(term: string, bind: Bind): string {
  const { texts, folded } = readTerm(term);
  const like = (text: string) => bind(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
  // All forms of a folded term fold to the same text, so one is enough.
  const alternatives = folded
    ? [`${fold('c.search')} LIKE ${fold(`lower(${like(texts[0] as string)})`)}`]
    : texts.map((text) => `c.search LIKE lower(${like(text)})`);
  return `(${alternatives.join(' OR ')})`;
}

/** Finds candidates in the trigram index, which `containsTermSql` must check. */
export function mayHoldTerm(term: string, channel: string, bind: Bind): string {
  const { texts } = readTerm(term);
  return `(${texts.map((text) => `${KEYS} @> contact_keys(${channel}, NULL, lower(${bind(text)}))`).join(' OR ')})`;
}

/** Shorter terms cannot use the index. */
export const SHORTEST_KEYED_TERM = 3;

/** Returns the length of the shortest alternative. */
export function termLength(term: string): number {
  return Math.min(...readTerm(term).texts.map((text) => [...text].length));
}

function fold(text: string): string {
  return `fold_letters(${text})`;
}
