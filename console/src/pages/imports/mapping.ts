import {
  CONTACT_FIELDS,
  type ContactFieldName,
  joinNames,
  mapFields,
} from '../../../../src/features/contacts/contact-fields.js';
import {
  DELIMITERS,
  type Encoding,
  MAX_CELL_LENGTH,
  MAX_COLUMNS,
  MAX_IMPORTED_CELL,
  readCell,
} from '../../../../src/platform/text/csv-text.js';
import type { ImportRow, ImportStart } from '../../api/imports.js';
import { type CustomMapping, NO_CUSTOM_COLUMNS, readMarks } from './custom-columns.js';

/** Row of a file, numbered as in a spreadsheet: numbers start at 1 and include empty lines. */
export interface FileRow {
  row: number;
  cells: string[];
}

export interface CsvFile {
  source: File;
  name: string;
  encoding: Encoding;
  delimiter: string;
  header: string[];
  rows: FileRow[];
}

/** Column index of each field. Without `name`, the first and last names are joined. */
export interface Mapping extends Record<ContactFieldName, number | null> {
  phone: number | null;
  /** Column of WhatsApp user IDs; null for SMS channels. */
  userId: number | null;
}

/**
 * Patterns for column headings in several languages, the most reliable first. A heading that only contains a field's word, such
 * as "Company name", may have another meaning.
 */
const PATTERNS: Readonly<Record<keyof Mapping, readonly RegExp[]>> = {
  // User IDs need an exact match, because other programs use similar names for their own user IDs.
  userId: [/^(?:whatsapp ?)?user ?id$|^bsuid$/i],
  phone: [
    /^(?:phone|telephone|tel|mobile|cell|handy|whatsapp|msisdn)$/i,
    /phone|mobile|\bmóvil|\btel\b|tele|\bcell|handy|whatsapp|msisdn|rufnummer/i,
    /^(?:number|numbers|nummer|número|numero)$/i,
  ],
  ...mapFields((name) => CONTACT_FIELDS[name].suggestedFor),
};

const EXCLUDED = /fax|hotel|tele?gram|order|invoice|account|customer (?:number|no)|type|label|country|code$/i;

export function guessMapping(header: readonly string[], { isWhatsapp }: { isWhatsapp: boolean }): Mapping {
  const usedColumns = new Set<number>();
  const headings = header.map((cell) => cell.trim().replace(/[\s_]+/g, ' '));
  const find = (field: keyof Mapping) => {
    const exact = headings.findIndex((cell) => cell.toLowerCase() === field.toLowerCase());
    const matches = PATTERNS[field].map((pattern) =>
      headings.findIndex((cell, column) => !usedColumns.has(column) && pattern.test(cell) && !EXCLUDED.test(cell)),
    );
    const index = exact === -1 ? (matches.find((column) => column !== -1) ?? -1) : exact;
    if (index === -1) return null;
    usedColumns.add(index);
    return index;
  };
  const userId = isWhatsapp ? find('userId') : null;
  const phone = find('phone');
  const fields = mapFields((field) => (field === 'name' ? null : find(field)));
  // The name column is searched last, because the headings of other columns also contain the word "name".
  return { phone, userId, ...fields, name: find('name') };
}

/** Sends numbers exactly as written in the file, because the server parses them. */
export function mapRows(
  { header, rows }: Pick<CsvFile, 'header' | 'rows'>,
  mapping: Mapping,
  custom: CustomMapping = NO_CUSTOM_COLUMNS,
): ImportRow[] {
  const readColumn = (cells: readonly string[], column: number | null) =>
    column === null ? '' : readCell((cells[column] ?? '').trim().slice(0, MAX_IMPORTED_CELL));
  return rows.map(({ row, cells }) => {
    const fields = mapFields((field) => readColumn(cells, mapping[field]));
    return {
      row,
      phone: readColumn(cells, mapping.phone),
      ...(mapping.userId !== null && { userId: readColumn(cells, mapping.userId) }),
      ...fields,
      name: mapping.name === null ? joinNames(fields) : fields.name,
      ...readMarks(cells, header, custom),
      cells: truncateCells(cells),
    };
  });
}

/** Returns the file's headings and delimiter, which the server uses for the file of refused rows. */
export function toFileColumns({ header, delimiter }: CsvFile): Pick<ImportStart, 'columns' | 'delimiter'> {
  const columns = truncateCells(header).map((name) => name.replaceAll('\0', '\uFFFD').toWellFormed());
  return { columns, delimiter: DELIMITERS.find((known) => known === delimiter) };
}

/** Maximum length of a row, small enough to keep requests far below the server's limit. */
const MAX_ROW_LENGTH = 200_000;

/** Truncates cells so that a row does not exceed its maximum length. */
function truncateCells(cells: string[]): string[] {
  let remainingLength = MAX_ROW_LENGTH;
  return cells.slice(0, MAX_COLUMNS).map((cell) => {
    const shortened = cell.slice(0, Math.min(MAX_CELL_LENGTH, remainingLength));
    remainingLength -= shortened.length;
    return shortened;
  });
}
