import { readTerm } from './term.js';

export type Bind = (value: unknown) => string;

const KEYS = 'contact_keys(c.channel_id, c.id, c.search)';

export function toTermSuffix(term: string): string {
  const { texts, isFolded } = readTerm(term);
  return `-term${texts.length}${isFolded ? 'f' : ''}`;
}

/** Ignores case, because PostgreSQL lowercases both sides. */
export function containsTermSql(term: string, bind: Bind): string {
  const { texts, isFolded } = readTerm(term);
  const like = (text: string) => bind(`%${text.replace(/[\\%_]/g, '\\$&')}%`);
  // Folding turns every form of the term into the same text, so one form is enough.
  const alternatives = isFolded
    ? [`${foldSql('c.search')} LIKE ${foldSql(`lower(${like(texts[0] as string)})`)}`]
    : texts.map((text) => `c.search LIKE lower(${like(text)})`);
  return `(${alternatives.join(' OR ')})`;
}

/** Finds candidates with the trigram index, which `containsTermSql` must still check. */
export function mayContainTermSql(term: string, channel: string, bind: Bind): string {
  const { texts } = readTerm(term);
  return `(${texts.map((text) => `${KEYS} @> contact_keys(${channel}, NULL, lower(${bind(text)}))`).join(' OR ')})`;
}

/** Length of the shortest term that can use the trigram index. */
export const MIN_INDEXED_TERM_LENGTH = 3;

/** Returns the length of the term's shortest alternative text. */
export function measureShortestText(term: string): number {
  return Math.min(...readTerm(term).texts.map((text) => [...text].length));
}

function foldSql(text: string): string {
  return `fold_letters(${text})`;
}
