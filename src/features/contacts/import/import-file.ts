import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import {
  CSV_RULES,
  describeExtraCells,
  detectLayout,
  type Encoding,
  EncodingDetector,
  isEmptyRow,
  readCell,
} from '../../../platform/text/csv-text.js';
import { mapFields, toContactName } from '../contact-fields.js';
import { type CustomColumns, TAGS_COLUMN } from '../custom/columns.js';
import type { RowMarks } from '../custom/imported-marks.js';
import { splitTagCell } from '../custom/tag-names.js';
import { checkRow, type ImportRow, type RefusedRow } from './check-row.js';
import { type Columns, findColumns, listIgnoredColumns } from './columns.js';
import { ImportInputError } from './input-error.js';

export { ImportInputError } from './input-error.js';

export const NO_ROWS = 'there are no rows below the header';

export interface ImportFile {
  /** As in the file. */
  header: readonly string[];
  ignoredColumns: string[];
  rows: AsyncIterable<ImportRow | RefusedRow>;
  bytesRead(): number;
}

export interface ReadOptions {
  delimiter?: string;
  country: NumbersWithoutPlus;
  kind: ChannelKind;
  skip: number;
  /** Default: only the columns of every account. */
  custom?: CustomColumns;
}

const SAMPLE_LENGTH = 16_384;

/** SHA-256 in hexadecimal. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

/** Reads the whole file. */
export async function detectEncoding(path: string): Promise<Encoding> {
  const detector = new EncodingDetector();
  for await (const chunk of createReadStream(path)) detector.write(chunk as Buffer);
  return detector.end();
}

/**
 * Rows are read on demand, so an unclosed quotation mark is detected only while they are read.
 * @param options.encoding Default: detected.
 * @throws {ImportInputError} Fails if the file has no header, or neither a column `phone` nor `userId`.
 */
export async function openImportFile(
  path: string,
  { encoding, ...options }: ReadOptions & { encoding?: Encoding },
): Promise<ImportFile> {
  const fileEncoding = encoding ?? (await detectEncoding(path));
  const input = createReadStream(path);
  return { ...(await readImportRows(decodeChunks(input, fileEncoding), options)), bytesRead: () => input.bytesRead };
}

/** Invalid bytes become U+FFFD. */
export async function* decodeChunks(bytes: AsyncIterable<Uint8Array>, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/**
 * Stopping the row iterator also stops the text iterator.
 * @throws {ImportInputError} See `openImportFile`
 */
export async function readImportRows(
  text: AsyncIterator<string>,
  options: ReadOptions,
): Promise<Omit<ImportFile, 'bytesRead'>> {
  let beginning = '';
  let isDone = false;
  while (!isDone && beginning.length < SAMPLE_LENGTH) {
    const { value, done = false } = await text.next();
    isDone = done;
    beginning += value ?? '';
  }
  const { delimiter, start } = detectLayout(beginning, options.delimiter);
  const parser = parse({ ...CSV_RULES, delimiter });
  const input = Readable.from(prepend(beginning.slice(start), text));
  input.on('error', (error) => parser.destroy(error));
  parser.on('close', () => input.destroy());
  const iterator = input.pipe(parser)[Symbol.asyncIterator]() as AsyncIterator<string[]>;
  const nonEmptyRows = skipEmptyRows(iterator);
  const headerRow = (await nonEmptyRows.next()).value;
  if (!headerRow) throw new ImportInputError('the file is empty: its first row must name the columns');
  const columns = findColumns(headerRow.cells, options.custom);
  return {
    header: headerRow.cells,
    ignoredColumns: listIgnoredColumns(headerRow.cells, options.custom),
    rows: readRows(nonEmptyRows, { ...options, columns, width: headerRow.cells.length }),
  };
}

async function* prepend(beginning: string, text: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    if (beginning !== '') yield beginning;
    for (let next = await text.next(); !next.done; next = await text.next()) if (next.value !== '') yield next.value;
  } finally {
    await text.return?.();
  }
}

/** Row numbers include skipped rows. */
async function* skipEmptyRows(
  iterator: AsyncIterator<string[]>,
): AsyncGenerator<{ row: number; cells: string[] }, undefined> {
  try {
    for (let row = 1; ; row += 1) {
      const cells = await readNextRow(iterator);
      if (!cells) return;
      if (!isEmptyRow(cells)) yield { row, cells };
    }
  } finally {
    await iterator.return?.();
  }
}

async function readNextRow(iterator: AsyncIterator<string[]>): Promise<string[] | undefined> {
  try {
    const { value, done } = await iterator.next();
    return done ? undefined : value;
  } catch (error) {
    if (error instanceof CsvError)
      throw new ImportInputError(`the file is not valid CSV: ${error.message}`, { cause: error });
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
  const reason = describeExtraCells(cells, width);
  if (reason !== null) return { row, cells, reason };
  const readColumn = (column: number) => readCell(cells[column]?.trim() ?? '');
  const { phone, userId } = columns;
  const fields = mapFields((name) =>
    columns.fields[name]
      .map(readColumn)
      .filter((cell) => cell !== '')
      .join(' '),
  );
  // Other programs write such columns next to the name, so a row is never refused because of them.
  for (const name of ['firstName', 'lastName'] as const)
    fields[name] = toContactName(fields[name].replaceAll('\uFFFD', ''));
  const ids = { phone: readColumn(phone), userId: readColumn(userId) };
  return checkRow({ row, cells, ...ids, ...fields, ...readMarks(columns, readColumn) }, country, kind);
}

/** Empty cells are omitted, because an import never clears a field. */
function readMarks({ custom }: Columns, readColumn: (column: number) => string): RowMarks {
  if (custom.size === 0) return {};
  const tagColumn = custom.get(TAGS_COLUMN);
  const cells = [...custom].filter(([key]) => key !== TAGS_COLUMN).map(([key, column]) => [key, readColumn(column)]);
  const values = cells.filter(([, cell]) => cell !== '');
  const tags = tagColumn === undefined ? [] : splitTagCell(readColumn(tagColumn));
  return { ...(tags.length > 0 && { tags }), ...(values.length > 0 && { fields: Object.fromEntries(values) }) };
}
