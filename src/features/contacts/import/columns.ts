import { ImportInputError } from './input-error.js';

/** The place of each column in a row; -1: the file has none. Of `phone` and `userId` it has at least one. */
export interface Columns {
  phone: number;
  userId: number;
  /** One, or those of the first and the last name, in this order; empty where the file has none. */
  name: readonly number[];
  email: number;
}

/** Headings without blanks and punctuation, in the order in which they are looked for. */
const EMAIL_NAMES = ['email', 'emailaddress', 'mail'];
const NAME_NAMES = ['name', 'fullname', 'displayname', 'contactname'];
const FIRST_NAMES = ['firstname', 'givenname', 'forename', 'vorname'];
const LAST_NAMES = ['lastname', 'familyname', 'surname', 'nachname'];

/**
 * Finds the columns of a file by its headings, in any case. `phone` and `userId` must be called so: a column of the same name in
 * another program may hold something else. A name may be in one column, or in one of first and one of last names.
 * @throws {ImportInputError} for a file with neither `phone` nor `userId`, or with two columns of one of our names
 */
export function findColumns(header: readonly string[]): Columns {
  const names = header.map((cell) => cell.trim().toLowerCase());
  for (const name of ['phone', 'userid', 'name', 'email']) {
    if (names.indexOf(name) !== names.lastIndexOf(name))
      throw new ImportInputError(`the file has two columns named ${name}`);
  }
  const bare = names.map((name) => name.replace(/[\s_.-]+/g, ''));
  const find = (known: readonly string[]) => known.map((name) => bare.indexOf(name)).find((at) => at !== -1) ?? -1;
  const whole = find(NAME_NAMES);
  const parts = [find(FIRST_NAMES), find(LAST_NAMES)].filter((at) => at !== -1);
  const columns = {
    phone: names.indexOf('phone'),
    userId: names.indexOf('userid'),
    name: whole === -1 ? parts : [whole],
    email: find(EMAIL_NAMES),
  };
  if (columns.phone === -1 && columns.userId === -1) {
    throw new ImportInputError('the first row must name the columns, among them phone or userId');
  }
  return columns;
}

/**
 * The headings of the columns whose cells are not imported. An empty one has nothing to mention.
 * @param header empty where there was no file
 */
export function ignoredColumns(header: readonly string[]): string[] {
  if (header.length === 0) return [];
  const { phone, userId, name, email } = findColumns(header);
  const used = new Set([phone, userId, email, ...name]);
  return header.map((cell) => cell.trim()).filter((cell, at) => cell !== '' && !used.has(at));
}
