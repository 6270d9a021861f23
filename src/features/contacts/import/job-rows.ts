import { setImmediate as nextTurn } from 'node:timers/promises';
import { DIGITS_ONLY, type NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { LONGEST_CELL } from '../../../platform/text/csv-text.js';
import { mapFields, pickFields, type WrittenFields } from '../contact-fields.js';
import { checkRow, type ImportRow, type RefusedRow, rowOfKind } from './check-row.js';
import { type ImportFile, readImportRows } from './import-file.js';
import { toListCells } from './list-columns.js';

/** A contact of a list that is to be imported. */
export interface ListedContact extends Partial<WrittenFields> {
  /** Without it and without a user id the contact is refused. */
  phone?: string;
  userId?: string;
  /** Its number where the list is part of something; its place in the list, from 1, unless told. */
  row?: number;
}

/** One as it waits for its import: with its number as it was read when it came, and what it was read from. */
export interface WaitingContact extends ListedContact {
  /** The number as it came; left out where it is kept as it came. */
  written?: string;
  /** Why it was refused when it came. */
  reason?: string;
  /** All cells of its row, where it comes from a file. */
  cells?: readonly string[];
}

/** What is imported: CSV, or a list. */
export type ImportInput = { csv: string; delimiter?: string } | { contacts: readonly WaitingContact[] };

/** Characters that are parsed at once, so that other work gets its turn in between. */
const CHUNK = 16_384;
/** Rows that are read in one turn of the event loop. */
const ROWS_OF_TURN = 200;

/** Opens CSV that came as a text. Whoever does not read its rows to the end returns their iterator. */
export async function openCsv(
  csv: string,
  delimiter: string | undefined,
  reading: { country: NumbersWithoutPlus; kind: ChannelKind },
): Promise<Omit<ImportFile, 'bytesRead'>> {
  return await readImportRows(chunksOf(csv), { delimiter, ...reading, skip: 0 });
}

async function* chunksOf(text: string): AsyncGenerator<string> {
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
 * @param country how numbers without a plus sign are read; unless told only digits with country code are
 * @throws {ImportInputError} for CSV that cannot be read
 */
export async function readAllRows(
  input: ImportInput,
  { kind, country = DIGITS_ONLY }: { kind: ChannelKind; country?: NumbersWithoutPlus },
): Promise<(ImportRow | RefusedRow)[]> {
  const rows: (ImportRow | RefusedRow)[] = [];
  const seen = new SeenIds();
  const take = async (given: ImportRow | RefusedRow) => {
    const row = rowOfKind(kind, given);
    rows.push('reason' in row || !seen.has(row) ? row : asRepeated(row));
    if (!('reason' in row)) seen.add(row);
    if (rows.length % ROWS_OF_TURN === 0) await nextTurn();
  };
  if ('csv' in input) {
    for await (const row of (await openCsv(input.csv, input.delimiter, { country, kind })).rows) await take(row);
  } else {
    for (const [index, contact] of input.contacts.entries()) {
      await take(checkListed(contact, index + 1, { country, kind }));
    }
  }
  return rows;
}

/** The numbers and user ids of rows. */
export class SeenIds {
  readonly #ids = new Set<string>();

  /** Whether any id of a row stands in one that was added. */
  has({ phone, userId }: ImportRow): boolean {
    return (phone !== null && this.#ids.has(phone)) || (userId !== null && this.#ids.has(userId));
  }

  add({ phone, userId }: ImportRow): void {
    for (const each of [phone, userId]) if (each !== null) this.#ids.add(each);
  }
}

/** A row whose number, or user id, stands in an earlier one. */
export function asRepeated({ row, cells, phone, written, userId }: ImportRow): RefusedRow {
  const ids = [phone === null ? [] : `phone ${phone}`, userId === null ? [] : `userId ${userId}`].flat();
  return { row, cells, phone: written, reason: `${ids.join(' or ')} stands in an earlier row` };
}

/** A row that could be read, and that the channel does not take. */
export function asRefused({ row, cells, written }: ImportRow, reason: string): RefusedRow {
  return { row, cells, phone: written, reason };
}

/**
 * A contact of a list as it can be imported, or why it cannot.
 * @param place in the list, from 1: its number unless it has one
 */
export function checkListed(
  contact: WaitingContact,
  place: number,
  { country, kind }: { country: NumbersWithoutPlus; kind: ChannelKind },
): ImportRow | RefusedRow {
  const { row = place, written, reason } = contact;
  const phone = contact.phone?.trim();
  const userId = contact.userId?.trim();
  const fields = mapFields((name) => contact[name]?.trim() ?? '');
  const cells =
    contact.cells ?? toListCells({ phone: (written ?? phone ?? '').trim(), userId: userId ?? '', ...fields });
  if (reason !== undefined) return { row, cells, phone, reason };
  return checkRow({ row, cells, phone, userId, written, ...fields }, country, kind);
}

/**
 * A row as it waits for its import. Its number was read when it came, so that whoever imports it reads what was meant, and
 * it is refused for what it was refused for then.
 */
export function asWaiting(read: ImportRow | RefusedRow): WaitingContact {
  const { row, cells } = read;
  if ('reason' in read) return { row, phone: read.phone?.slice(0, LONGEST_CELL), reason: read.reason, cells };
  const { phone, written, userId } = read;
  const ids = { ...(phone !== null && { phone: `+${phone}`, written }), ...(userId !== null && { userId }) };
  return { row, ...ids, ...pickFields(read), cells };
}
