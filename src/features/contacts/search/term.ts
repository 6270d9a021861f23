import { digitsOfWritten } from '../../../carriers/numbers/written-numbers.js';

/** What a text that is searched for may stand as in what is searched. */
export interface SearchTerm {
  /** Literal parts to look for, one of which suffices. */
  texts: readonly string[];
  /**
   * It has letters beyond ASCII: they are compared in one normal form, and a final sigma (ς) is a sigma. For the index by
   * groups of characters, which knows neither, `texts` holds the ways in which they may be written.
   */
  folded: boolean;
}

/** Whether any contact can hold a term: none holds control characters or more than a line of some hundred characters. */
export function canBeHeld(term: string): boolean {
  return term.length <= MAX_TERM && !/\p{Cc}/u.test(term);
}

const MAX_TERM = 1000;
/** A number as people write it. */
const WRITTEN_NUMBER = /^\+?[\d\s().\-/]+$/;
/** PostgreSQL's lower() makes σ of every capital sigma; people write ς where a word ends. */
const FINAL_SIGMA = /[Σσς](?![\p{L}\p{M}])/gu;

/** Fewer digits are no part of a number that somebody would write with blanks. */
const MIN_DIGITS = 3;

/**
 * Reads a search term. A number counts without a plus sign, blanks, hyphens, dots, slashes and parentheses too; behind a
 * plus sign it begins the number that is looked for.
 */
export function readTerm(term: string): SearchTerm {
  const folded = /[^\0-\x7f]/.test(term);
  const texts = folded ? writtenForms(term) : [term];
  const digits = WRITTEN_NUMBER.test(term) ? (digitsOfWritten(term) ?? term.replace(/\D/g, '')) : '';
  if (digits === '' || digits === term) return { texts, folded };
  // A line feed separates the number from what stands before it in what is searched.
  if (term.startsWith('+')) return { texts: [...texts, `\n${digits}`], folded };
  return { texts: digits.length < MIN_DIGITS ? texts : [...texts, digits], folded };
}

function writtenForms(term: string): string[] {
  const forms = [term.normalize('NFC'), term.normalize('NFD')];
  const all = forms.flatMap((form) => [form.replaceAll('ς', 'σ'), form.replace(FINAL_SIGMA, 'ς')]);
  return [...new Set(all)];
}
