import { readTerm } from './term.js';

/** Binds a value to a statement and names its parameter. */
export type Bind = (value: unknown) => string;

/** The groups of three characters of what is searched, as the index of all contacts holds them. */
const KEYS = 'contact_keys(c.channel_id, c.id, c.search)';

/** What tells statements for different terms apart: part of their names, for each is prepared once. */
export function termShape(term: string): string {
  const { texts, folded } = readTerm(term);
  return `-term${texts.length}${folded ? 'f' : ''}`;
}

/** Whether contacts `c` hold a term, literally and in any case. PostgreSQL lowers it as it lowered what is searched. */
export function holdsTerm(term: string, bind: Bind): string {
  const { texts, folded } = readTerm(term);
  // In LIKE these three characters mean more than themselves.
  const like = (text: string) => bind(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
  // The written forms of a folded term fold to the same, so one of them is enough.
  const alternatives = folded
    ? [`${fold('c.search')} LIKE ${fold(`lower(${like(texts[0] as string)})`)}`]
    : texts.map((text) => `c.search LIKE lower(${like(text)})`);
  return `(${alternatives.join(' OR ')})`;
}

/** Whether contacts `c` of a channel may hold a term, by the index of groups of three characters: a first sieve. */
export function mayHoldTerm(term: string, channel: string, bind: Bind): string {
  const { texts } = readTerm(term);
  return `(${texts.map((text) => `${KEYS} @> contact_keys(${channel}, NULL, lower(${bind(text)}))`).join(' OR ')})`;
}

/** Characters of the groups that contacts are found by: a shorter text has none. */
export const SHORTEST_KEYED_TERM = 3;

/** Characters of the shortest text that is looked for. */
export function termLength(term: string): number {
  return Math.min(...readTerm(term).texts.map((text) => [...text].length));
}

function fold(text: string): string {
  return `fold_letters(${text})`;
}
