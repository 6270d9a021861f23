import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type ContactFieldName, mapFields } from '../contact-fields.js';
import { ImportInputError } from './input-error.js';

/** The place of each column in a row; -1: the file has none. Of `phone` and `userId` it has at least one. */
export interface Columns {
  phone: number;
  userId: number;
  /** The columns of each field, whose cells are joined; empty where the file has none. Only a name may be in two columns. */
  fields: Record<ContactFieldName, readonly number[]>;
}

/** Headings without spaces and punctuation, in order of preference. */
const FIRST_NAMES = ['firstname', 'givenname', 'forename', 'vorname'];
const LAST_NAMES = ['lastname', 'familyname', 'surname', 'nachname'];

/**
 * Finds the columns of a file by its headings, in any case. `phone` and `userId` must be called so: a column of the same name in
 * another program may hold something else. A name may be in one column, or in one of first and one of last names.
 * @throws {ImportInputError} for a file with neither `phone` nor `userId`, or with two columns of one of our names
 */
export function findColumns(header: readonly string[]): Columns {
  const names = header.map((cell) => cell.trim().toLowerCase());
  for (const name of ['phone', 'userid', ...CONTACT_FIELD_NAMES.map((field) => field.toLowerCase())]) {
    if (names.indexOf(name) !== names.lastIndexOf(name))
      throw new ImportInputError(`the file has two columns named ${name}`);
  }
  const bare = names.map((name) => name.replace(/[\s_.-]+/g, ''));
  const find = (known: readonly string[]) => known.map((name) => bare.indexOf(name)).find((at) => at !== -1) ?? -1;
  const fields = mapFields((field) => [find(CONTACT_FIELDS[field].headings)].filter((at) => at !== -1));
  if (fields.name.length === 0) fields.name = [find(FIRST_NAMES), find(LAST_NAMES)].filter((at) => at !== -1);
  const columns = {
    phone: names.indexOf('phone'),
    userId: names.indexOf('userid'),
    fields,
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
  const { phone, userId, fields } = findColumns(header);
  const used = new Set([phone, userId, ...Object.values(fields).flat()]);
  return header.map((cell) => cell.trim()).filter((cell, at) => cell !== '' && !used.has(at));
}
