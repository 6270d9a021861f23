import { extractDigits } from '../../../carriers/numbers/written-numbers.js';

export interface SearchTerm {
  /** Alternatives to search for. */
  texts: readonly string[];
  /**
   * True if the term has non-ASCII characters. Non-ASCII terms are compared in one normal form, in which a final sigma
   * (ς) equals a sigma. The trigram index does not normalize letters, so `texts` contains every spelling.
   */
  isFolded: boolean;
}

/** Returns false for terms that no contact can contain: very long texts and control characters. */
export function isSearchable(term: string): boolean {
  return term.length <= MAX_TERM_LENGTH && !/\p{Cc}/u.test(term);
}

const MAX_TERM_LENGTH = 1000;
const WRITTEN_NUMBER = /^\+?[\d\s().\-/]+$/;
/** PostgreSQL's `lower()` turns every capital sigma into σ, although words end with ς. */
const FINAL_SIGMA = /[Σσς](?![\p{L}\p{M}])/gu;

const MIN_DIGITS = 3;

/**
 * A number is also searched for without punctuation. A number with a plus sign must be the start of the contact's
 * number.
 */
export function readTerm(term: string): SearchTerm {
  const isFolded = /[^\0-\x7f]/.test(term);
  const texts = isFolded ? listWrittenForms(term) : [term];
  const digits = WRITTEN_NUMBER.test(term) ? (extractDigits(term) ?? term.replace(/\D/g, '')) : '';
  if (digits === '' || digits === term) return { texts, isFolded };
  // In the column `search`, a contact's number follows a line feed.
  if (term.startsWith('+')) return { texts: [...texts, `\n${digits}`], isFolded };
  return { texts: digits.length < MIN_DIGITS ? texts : [...texts, digits], isFolded };
}

function listWrittenForms(term: string): string[] {
  const forms = [term.normalize('NFC'), term.normalize('NFD')];
  const spellings = forms.flatMap((form) => [form.replaceAll('ς', 'σ'), form.replace(FINAL_SIGMA, 'ς')]);
  return [...new Set(spellings)];
}
