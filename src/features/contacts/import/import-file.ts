import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import {
  CSV_RULES,
  type Encoding,
  EncodingDetector,
  isEmptyRow,
  layoutOf,
  readCell,
  tooManyCells,
} from '../../../platform/text/csv-text.js';
import { mapFields } from '../contact-fields.js';
import { checkRow, type ImportRow, type RefusedRow } from './check-row.js';
import { type Columns, findColumns, ignoredColumns } from './columns.js';
import { ImportInputError } from './input-error.js';

export { ImportInputError } from './input-error.js';

/** What a file lacks that names its columns and holds nothing. */
export const NO_ROWS = 'it has no rows below the one that names the columns';

export interface ImportFile {
  /** The names of the columns as they stand in the file. */
  header: readonly string[];
  /** Those whose cells are not imported. */
  ignoredColumns: string[];
  rows: AsyncIterable<ImportRow | RefusedRow>;
  /** Bytes read so far. */
  bytesRead(): number;
}

export interface ReadOptions {
  /** Between two cells; undefined: as its beginning shows. */
  delimiter?: string;
  /** How numbers without a plus sign are read. */
  country: NumbersWithoutPlus;
  /** Of the channel. */
  kind: ChannelKind;
  /** Rows below the header that are done and are not looked at; empty lines are not among them. */
  skip: number;
}

/** Characters by which the layout of a file is found. */
const BEGINNING = 16_384;

/** SHA-256 of a file's content in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** The encoding of a file, by all of its bytes. */
export async function encodingOf(path: string): Promise<Encoding> {
  const detector = new EncodingDetector();
  for await (const chunk of createReadStream(path)) detector.write(chunk as Buffer);
  return detector.end();
}

/**
 * Opens a CSV file with a header row: `phone` or `userId` or both, and the contact fields that it has, in any order and
 * case (see columns.ts); other columns are ignored. The file is read row by row, on demand.
 * @param options.encoding undefined: as its bytes show
 * @throws Error when there is no such file
 * @throws {ImportInputError} when it has no header, or neither a column `phone` nor `userId`; while reading, when a quotation mark is not closed
 */
export async function openImportFile(
  path: string,
  { encoding, ...options }: ReadOptions & { encoding?: Encoding },
): Promise<ImportFile> {
  const known = encoding ?? (await encodingOf(path));
  const input = createReadStream(path);
  return { ...(await readImportRows(decoded(input, known), options)), bytesRead: () => input.bytesRead };
}

/** The text of bytes; what is none stands as U+FFFD. */
export async function* decoded(bytes: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/**
 * Reads the text of CSV as `openImportFile` does a file; what is not read of it is given back with the iteration.
 * @throws {ImportInputError} as `openImportFile`
 */
export async function readImportRows(
  text: AsyncIterator<string>,
  options: ReadOptions,
): Promise<Omit<ImportFile, 'bytesRead'>> {
  let beginning = '';
  let isDone = false;
  while (!isDone && beginning.length < BEGINNING) {
    const { value, done = false } = await text.next();
    isDone = done;
    beginning += value ?? '';
  }
  const { delimiter, start } = layoutOf(beginning, options.delimiter);
  const parser = parse({ ...CSV_RULES, delimiter });
  const input = Readable.from(rest(beginning.slice(start), text));
  input.on('error', (error) => parser.destroy(error));
  parser.on('close', () => input.destroy());
  const iterator = input.pipe(parser)[Symbol.asyncIterator]() as AsyncIterator<string[]>;
  const filled = filledRows(iterator);
  const first = (await filled.next()).value;
  if (!first) throw new ImportInputError('the file is empty: its first row must name the columns');
  const columns = findColumns(first.cells);
  return {
    header: first.cells,
    ignoredColumns: ignoredColumns(first.cells),
    rows: readRows(filled, { ...options, columns, width: first.cells.length }),
  };
}

async function* rest(beginning: string, text: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    if (beginning !== '') yield beginning;
    for (let next = await text.next(); !next.done; next = await text.next()) if (next.value !== '') yield next.value;
  } finally {
    await text.return?.();
  }
}

/** The rows that have something in them. Empty lines, and lines of delimiters, count all the same. */
async function* filledRows(
  iterator: AsyncIterator<string[]>,
): AsyncGenerator<{ row: number; cells: string[] }, undefined> {
  try {
    for (let row = 1; ; row += 1) {
      const cells = await next(iterator);
      if (!cells) return;
      if (!isEmptyRow(cells)) yield { row, cells };
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
  { columns, width, country, kind }: ReadOptions & { columns: Columns; width: number },
): ImportRow | RefusedRow {
  const reason = tooManyCells(cells, width);
  if (reason !== null) return { row, cells, reason };
  const cellOf = (column: number) => readCell(cells[column]?.trim() ?? '');
  const { phone, userId } = columns;
  const fields = mapFields((name) =>
    columns.fields[name]
      .map(cellOf)
      .filter((cell) => cell !== '')
      .join(' '),
  );
  return checkRow({ row, cells, phone: cellOf(phone), userId: cellOf(userId), ...fields }, country, kind);
}
