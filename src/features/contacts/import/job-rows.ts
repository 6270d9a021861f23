import { Readable } from 'node:stream';
import type { PhoneValidation } from '../../../platform/text/phone-numbers.js';
import { checkRow, type ImportFile, type ImportRow, type RefusedRow, readImportRows } from './import-file.js';

/** A contact of a list that is to be imported. */
export interface ListedContact {
  /** Without it the contact is refused. */
  phone?: string;
  name?: string;
  email?: string;
  /** Its number where the list is part of something; its place in the list, from 1, unless told. */
  row?: number;
}

/** What is imported: CSV, or a list. */
export type ImportInput = { csv: string; delimiter: string } | { contacts: readonly ListedContact[] };

/** Characters that are parsed at once, so that other work gets its turn in between. */
const CHUNK = 16_384;

/** Opens CSV that came as a text. Whoever does not read its rows to the end returns their iterator. */
export async function openCsv(
  csv: string,
  delimiter: string,
  phoneValidation: PhoneValidation,
): Promise<Omit<ImportFile, 'bytesRead'>> {
  return await readImportRows(Readable.from(chunksOf(csv)), { delimiter, phoneValidation, skip: 0 });
}

function* chunksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + CHUNK);
    // A surrogate pair stays together.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] as string)) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

/**
 * All rows of an input, with why those are refused that cannot be imported, or whose number stands in an earlier one. Of
 * CSV they are numbered as a spreadsheet does, from 2; of a list from 1.
 * @throws {ImportInputError} for CSV that cannot be read
 */
export async function readAllRows(
  input: ImportInput,
  phoneValidation: PhoneValidation,
): Promise<(ImportRow | RefusedRow)[]> {
  const rows: (ImportRow | RefusedRow)[] = [];
  const seen = new Set<string>();
  const take = (row: ImportRow | RefusedRow) => {
    if ('reason' in row) rows.push(row);
    else if (seen.has(row.phone)) rows.push({ ...row, reason: `phone ${row.phone} stands in an earlier row` });
    else rows.push(row);
    if (!('reason' in row)) seen.add(row.phone);
  };
  if ('csv' in input) {
    for await (const row of (await openCsv(input.csv, input.delimiter, phoneValidation)).rows) take(row);
  } else {
    for (const [index, { row = index + 1, phone, name = '', email = '' }] of input.contacts.entries()) {
      const texts = { phone: phone?.trim(), name: name.trim(), email: email.trim() };
      const cells = [texts.phone ?? '', texts.name, texts.email];
      take(checkRow({ row, cells, ...texts }, phoneValidation));
    }
  }
  return rows;
}
