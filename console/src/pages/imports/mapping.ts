import { type Encoding, LONGEST_CELL, readCell } from '../../../../src/platform/text/csv-text.js';
import type { ImportRow } from '../../api/imports.js';

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

/** Which column of a file holds what; null: none. */
export interface Mapping {
  phone: number | null;
  name: number | null;
  email: number | null;
}

/** Words of column headings, in several languages, as files of other programs have them. */
const KNOWN: Readonly<Record<keyof Mapping, RegExp>> = {
  phone: /phone|mobile|number|tel|cell|handy|nummer|whatsapp|msisdn/i,
  name: /name|nombre|nom\b/i,
  email: /mail/i,
};

/** What the names of the columns let guess. */
export function guessMapping(header: readonly string[]): Mapping {
  const taken = new Set<number>();
  const find = (field: keyof Mapping) => {
    const exact = header.findIndex((cell) => cell.trim().toLowerCase() === field);
    const index = exact === -1 ? header.findIndex((cell, at) => !taken.has(at) && KNOWN[field].test(cell)) : exact;
    if (index === -1) return null;
    taken.add(index);
    return index;
  };
  const phone = find('phone');
  const email = find('email');
  return { phone, email, name: find('name') };
}

/** The rows as the server takes them, which reads the numbers as they are written. */
export function mapRows({ rows }: CsvFile, { phone, name, email }: Mapping): ImportRow[] {
  const cellOf = (cells: readonly string[], column: number | null) =>
    column === null ? '' : readCell((cells[column] ?? '').trim().slice(0, LONGEST_CELL));
  return rows.map(({ row, cells }) => ({
    row,
    phone: cellOf(cells, phone),
    name: cellOf(cells, name),
    email: cellOf(cells, email),
  }));
}
