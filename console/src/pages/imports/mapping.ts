import { CONTACT_FIELDS, type ContactFieldName, mapFields } from '../../../../src/features/contacts/contact-fields.js';
import {
  DELIMITERS,
  type Encoding,
  MAX_CELL_LENGTH,
  MAX_COLUMNS,
  MAX_IMPORTED_CELL,
  readCell,
} from '../../../../src/platform/text/csv-text.js';
import type { ImportRow, ImportStart } from '../../api/imports.js';

/** A row of a file, numbered as a spreadsheet does: its first line is 1, and empty lines count. */
export interface FileRow {
  row: number;
  cells: string[];
}

/** What a file of CSV holds. */
export interface CsvFile {
  source: File;
  name: string;
  /** As they were found, or said. */
  encoding: Encoding;
  delimiter: string;
  header: string[];
  rows: FileRow[];
}

/** Which column of a file holds what; null: none. The first name is in `name` if `lastName` is set. */
export interface Mapping extends Record<ContactFieldName, number | null> {
  phone: number | null;
  /** WhatsApp's ids of people; of a channel that sends SMS there are none. */
  userId: number | null;
  lastName: number | null;
}

/**
 * Words of column headings, in several languages, as files of other programs have them: the surest first. What only contains such
 * a word may be something else: a company's name, or the number of an order.
 */
const KNOWN: Readonly<Record<keyof Mapping, readonly RegExp[]>> = {
  // A column of that name alone: what other programs call an id of a user is their own.
  userId: [/^(?:whatsapp ?)?user ?id$|^bsuid$/i],
  phone: [
    /^(?:phone|telephone|tel|mobile|cell|handy|whatsapp|msisdn)$/i,
    /phone|mobile|\bmóvil|\btel\b|tele|\bcell|handy|whatsapp|msisdn|rufnummer/i,
    /^(?:number|numbers|nummer|número|numero)$/i,
  ],
  lastName: [/^(?:last|family) ?name$|^surname$|^nachname$|^apellidos?$/i],
  ...mapFields((name) => CONTACT_FIELDS[name].suggestedFor),
};

/** Headings that contain such a word, and are something else. */
const OTHER = /fax|hotel|tele?gram|order|invoice|account|customer (?:number|no)|type|label|country|code$/i;

/** What the names of the columns let guess. */
export function guessMapping(header: readonly string[], { isWhatsapp }: { isWhatsapp: boolean }): Mapping {
  const taken = new Set<number>();
  const headings = header.map((cell) => cell.trim().replace(/[\s_]+/g, ' '));
  const find = (field: keyof Mapping) => {
    const exact = headings.findIndex((cell) => cell.toLowerCase() === field.toLowerCase());
    const found = KNOWN[field].map((pattern) =>
      headings.findIndex((cell, at) => !taken.has(at) && pattern.test(cell) && !OTHER.test(cell)),
    );
    const index = exact === -1 ? (found.find((at) => at !== -1) ?? -1) : exact;
    if (index === -1) return null;
    taken.add(index);
    return index;
  };
  const userId = isWhatsapp ? find('userId') : null;
  const phone = find('phone');
  const fields = mapFields((field) => (field === 'name' ? null : find(field)));
  // Last, because other headings contain the word too.
  const name = find('name');
  const isFirst = name !== null && /first|given|forename|vorname|prénom|^nombre$/i.test(headings[name] ?? '');
  const lastName = isFirst || name === null ? find('lastName') : null;
  // A last name alone is the name.
  return name === null
    ? { phone, userId, ...fields, name: lastName, lastName: null }
    : { phone, userId, ...fields, name, lastName };
}

/** The rows as the server takes them, which reads the numbers as they are written. */
export function mapRows({ rows }: CsvFile, mapping: Mapping): ImportRow[] {
  const cellOf = (cells: readonly string[], column: number | null) =>
    column === null ? '' : readCell((cells[column] ?? '').trim().slice(0, MAX_IMPORTED_CELL));
  return rows.map(({ row, cells }) => ({
    row,
    phone: cellOf(cells, mapping.phone),
    ...(mapping.userId !== null && { userId: cellOf(cells, mapping.userId) }),
    ...mapFields((field) => cellOf(cells, mapping[field])),
    name: [cellOf(cells, mapping.name), cellOf(cells, mapping.lastName)].filter((part) => part !== '').join(' '),
    cells: whole(cells),
  }));
}

/** What is told of a file, so that its refused rows come back with its columns and as it was written. */
export function columnsOf({ header, delimiter }: CsvFile): Pick<ImportStart, 'columns' | 'delimiter'> {
  const columns = whole(header).map((name) => name.replaceAll('\0', '\uFFFD').toWellFormed());
  return { columns, delimiter: DELIMITERS.find((each) => each === delimiter) };
}

/** Most characters of a row that are kept for the file of refused rows: with them it is far below what a request may hold. */
const MOST_OF_ROW = 200_000;

/** The cells of a row as they are written, as far as a spreadsheet could hold them. */
function whole(cells: string[]): string[] {
  let left = MOST_OF_ROW;
  return cells.slice(0, MAX_COLUMNS).map((cell) => {
    const kept = cell.slice(0, Math.min(MAX_CELL_LENGTH, left));
    left -= kept.length;
    return kept;
  });
}
