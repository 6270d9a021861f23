import { CONTACT_FIELDS, type ContactFieldName, mapFields } from '../contact-fields.js';
import { type CustomColumns, locateCustomColumns } from '../custom/columns.js';
import { ImportInputError } from './input-error.js';

/** Column indexes, with -1 for a missing column. */
export interface Columns {
  phone: number;
  userId: number;
  /** A name may be split into two columns, whose cells are joined. */
  fields: Record<ContactFieldName, readonly number[]>;
  /** Columns of tags and of the account's fields, by key. */
  custom: ReadonlyMap<string, number>;
}

/** Of other columns with the same heading, the first one counts. */
const UNIQUE_HEADINGS = ['phone', 'userid', 'name', 'email'];

/**
 * The columns `phone` and `userId` need exactly these headings, in upper or lower case. Columns with similar headings
 * may contain other data.
 * @throws {ImportInputError} Fails if the file has neither `phone` nor `userId`, or has a duplicate column.
 */
export function findColumns(header: readonly string[], custom: CustomColumns = {}): Columns {
  const names = header.map((cell) => cell.trim().toLowerCase());
  for (const name of UNIQUE_HEADINGS) {
    if (names.indexOf(name) !== names.lastIndexOf(name))
      throw new ImportInputError(`the file has two columns named ${name}`);
  }
  const normalized = names.map((name) => name.replace(/[\s_.-]+/g, ''));
  const find = (headings: readonly string[]) =>
    headings.map((heading) => normalized.indexOf(heading)).find((index) => index !== -1) ?? -1;
  const fields = mapFields((field) => [find(CONTACT_FIELDS[field].headings)].filter((index) => index !== -1));
  if (fields.name.length === 0) fields.name = [...fields.firstName, ...fields.lastName];
  const columns = {
    phone: names.indexOf('phone'),
    userId: names.indexOf('userid'),
    fields,
    custom: locateCustomColumns(header, custom),
  };
  if (columns.phone === -1 && columns.userId === -1) {
    throw new ImportInputError('the first row must name the columns, among them phone or userId');
  }
  return columns;
}

export function listIgnoredColumns(header: readonly string[], custom?: CustomColumns): string[] {
  if (header.length === 0) return [];
  const columns = findColumns(header, custom);
  const { phone, userId, fields } = columns;
  const used = new Set([phone, userId, ...Object.values(fields).flat(), ...columns.custom.values()]);
  return header.map((cell) => cell.trim()).filter((cell, index) => cell !== '' && !used.has(index));
}
