import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type PhoneValidation, parsePhoneNumber, phoneRule } from '../../../platform/text/phone-numbers.js';
import { readCell } from '../csv-cells.js';
import { EMAIL_RULE, isContactEmail, isContactName, NAME_RULE } from '../fields.js';

/** A row of the file that can be imported. */
export interface ImportRow {
  /**
   * As a spreadsheet counts: the first line is row 1, an empty line is a row as well, and a cell with line breaks makes no
   * further row.
   */
  row: number;
  cells: readonly string[];
  phone: string;
  /** Empty where the file has none, as is the e-mail address. */
  name: string;
  email: string;
}

/** A row that cannot. */
export interface RefusedRow {
  row: number;
  cells: readonly string[];
  reason: string;
  /** As it stands there; missing where the row has no such cell. */
  phone?: string;
}

/** The input as a whole cannot be read. */
export class ImportInputError extends Error {}

export interface ImportFile {
  /** The names of the columns as they stand in the file. */
  header: readonly string[];
  rows: AsyncIterable<ImportRow | RefusedRow>;
  /** Bytes read so far. */
  bytesRead(): number;
}

export interface ReadOptions {
  delimiter: string;
  phoneValidation: PhoneValidation;
  /** Rows below the header that are done and are not looked at; empty lines are not among them. */
  skip: number;
}

/** Far more than any row that holds a contact: a cell that is too long refuses its row. Beyond it, a quotation mark was left open. */
const MAX_ROW_BYTES = 1_048_576;

/** SHA-256 of a file's content in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/**
 * Opens a CSV file with a header row: `phone`, and `name` and `email` where it has them, in any order and case; other
 * columns are ignored. It is read as its rows are asked for.
 * @throws Error when there is no such file
 * @throws {ImportInputError} when it has no header, or no column `phone`; while reading, when a quotation mark is not closed
 */
export async function openImportFile(path: string, options: ReadOptions): Promise<ImportFile> {
  const input = createReadStream(path);
  return { ...(await readImportRows(input, options)), bytesRead: () => input.bytesRead };
}

/**
 * Reads a stream of CSV as `openImportFile` does a file; what is not read of it is destroyed with the iteration.
 * @throws {ImportInputError} as `openImportFile`
 */
export async function readImportRows(input: Readable, options: ReadOptions): Promise<Omit<ImportFile, 'bytesRead'>> {
  const parser = parse({
    bom: true,
    delimiter: options.delimiter,
    // Files that were put together from several have lines that end in several ways.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW_BYTES,
  });
  input.on('error', (error) => parser.destroy(error));
  parser.on('close', () => input.destroy());
  const iterator = input.pipe(parser)[Symbol.asyncIterator]() as AsyncIterator<string[]>;
  const filled = filledRows(iterator);
  const first = (await filled.next()).value;
  if (!first) throw new ImportInputError('the file is empty: its first row must name the columns');
  const columns = findColumns(first.cells);
  return {
    header: first.cells,
    rows: readRows(filled, { ...options, columns, width: first.cells.length }),
  };
}

/** The rows that are no empty lines, which count all the same. */
async function* filledRows(
  iterator: AsyncIterator<string[]>,
): AsyncGenerator<{ row: number; cells: string[] }, undefined> {
  try {
    for (let row = 1; ; row += 1) {
      const cells = await next(iterator);
      if (!cells) return;
      if (cells.length > 1 || cells[0] !== '') yield { row, cells };
    }
  } finally {
    await iterator.return?.();
  }
}

async function next(iterator: AsyncIterator<string[]>): Promise<string[] | undefined> {
  try {
    const { value, done } = await iterator.next();
    return done ? undefined : value;
  } catch (error) {
    if (error instanceof CsvError) throw new ImportInputError(`the file is no CSV: ${error.message}`, { cause: error });
    throw error;
  }
}

interface Columns {
  phone: number;
  /** -1: the file has none. */
  name: number;
  email: number;
}

function findColumns(header: readonly string[]): Columns {
  const names = header.map((cell) => cell.trim().toLowerCase());
  for (const name of ['phone', 'name', 'email']) {
    if (names.indexOf(name) !== names.lastIndexOf(name))
      throw new ImportInputError(`the file has two columns named ${name}`);
  }
  const columns = { phone: names.indexOf('phone'), name: names.indexOf('name'), email: names.indexOf('email') };
  if (columns.phone === -1) throw new ImportInputError('the first row must name the columns, among them phone');
  return columns;
}

async function* readRows(
  filled: AsyncIterable<{ row: number; cells: string[] }>,
  options: ReadOptions & { columns: Columns; width: number },
): AsyncGenerator<ImportRow | RefusedRow> {
  let read = 0;
  for await (const { row, cells } of filled) {
    read += 1;
    if (read > options.skip) yield readRow(row, cells, options);
  }
}

function readRow(
  row: number,
  cells: string[],
  { columns, width, phoneValidation }: ReadOptions & { columns: Columns; width: number },
): ImportRow | RefusedRow {
  if (cells.length !== width) {
    return { row, cells, reason: `the row has ${cells.length} cells, the header ${width}` };
  }
  const [phone, name, email] = [columns.phone, columns.name, columns.email].map((column) =>
    readCell(cells[column]?.trim() ?? ''),
  ) as [string, string, string];
  return checkRow({ row, cells, phone, name, email }, phoneValidation);
}

/** What stands for bytes that are no UTF-8, halves of surrogate pairs, and NUL, which PostgreSQL cannot store. */
const UNREADABLE = /[\0\p{Cs}\uFFFD]/u;
const UNREADABLE_RULE = 'the row has NUL characters or is not valid UTF-8';

/** A row as it can be imported, or why it cannot. */
export function checkRow(
  given: Omit<ImportRow, 'phone'> & { phone?: string },
  phoneValidation: PhoneValidation,
): ImportRow | RefusedRow {
  const { row, cells, phone, name, email } = given;
  const refuse = (reason: string): RefusedRow => ({ row, cells, reason, phone });
  if (phone === undefined) return refuse('phone is required');
  const recipient = parsePhoneNumber(phone, phoneValidation);
  if (!recipient) return refuse(`phone ${phoneRule(phone.trim().replace(/^\+/, ''))}`);
  if (UNREADABLE.test(name) || UNREADABLE.test(email)) return refuse(UNREADABLE_RULE);
  if (!isContactName(name)) return refuse(`name ${NAME_RULE}`);
  if (!isContactEmail(email)) return refuse(`email ${EMAIL_RULE}`);
  return { ...given, phone: recipient.digits };
}
