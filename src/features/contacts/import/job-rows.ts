import { setImmediate as nextTurn } from 'node:timers/promises';
import { DIGITS_ONLY, type NumbersWithoutPlus } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { MAX_IMPORTED_CELL } from '../../../platform/text/csv-text.js';
import { mapFields, pickFields, type WrittenFields } from '../contact-fields.js';
import type { CustomColumns } from '../custom/columns.js';
import type { RowMarks } from '../custom/imported-marks.js';
import { checkRow, type ImportRow, type RefusedRow, toRowForKind } from './check-row.js';
import { type ImportFile, readImportRows } from './import-file.js';
import { toListCells } from './list-columns.js';

export interface ListedContact extends Partial<WrittenFields>, RowMarks {
  /** A contact with neither a number nor a user ID is refused. */
  phone?: string;
  userId?: string;
  /** Default: the position in the list, from 1. */
  row?: number;
}

/** A listed contact whose number was parsed when the request was accepted. */
export interface WaitingContact extends ListedContact {
  /** The number as originally written, if `phone` contains the parsed number. */
  written?: string;
  /** Reason why the row was refused when the request was accepted. */
  reason?: string;
  cells?: readonly string[];
}

export type ImportInput = { csv: string; delimiter?: string } | { contacts: readonly WaitingContact[] };

/** CSV is parsed in chunks, so that other work is not blocked. */
const CHUNK_LENGTH = 16_384;
const ROWS_PER_TURN = 200;

/** A caller that does not read all rows must call `return` on the row iterator. */
export async function openCsv(
  csv: string,
  delimiter: string | undefined,
  reading: { country: NumbersWithoutPlus; kind: ChannelKind; custom?: CustomColumns },
): Promise<Omit<ImportFile, 'bytesRead'>> {
  return await readImportRows(splitChunks(csv), { delimiter, ...reading, skip: 0 });
}

async function* splitChunks(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(text.length, start + CHUNK_LENGTH);
    // A chunk must not split a surrogate pair.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] as string)) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

/**
 * Refuses rows that repeat the number or user ID of an earlier row. CSV rows are numbered from 2, as in a spreadsheet,
 * and list entries from 1.
 * @param country By default, numbers are digits with country code.
 * @throws {ImportInputError} Invalid CSV
 */
export async function readAllRows(
  input: ImportInput,
  { kind, country = DIGITS_ONLY, custom }: { kind: ChannelKind; country?: NumbersWithoutPlus; custom?: CustomColumns },
): Promise<(ImportRow | RefusedRow)[]> {
  const rows: (ImportRow | RefusedRow)[] = [];
  const seen = new SeenIds();
  const add = async (checked: ImportRow | RefusedRow) => {
    const row = toRowForKind(kind, checked);
    rows.push('reason' in row || !seen.has(row) ? row : refuseRepeated(row));
    if (!('reason' in row)) seen.add(row);
    if (rows.length % ROWS_PER_TURN === 0) await nextTurn();
  };
  if ('csv' in input) {
    for await (const row of (await openCsv(input.csv, input.delimiter, { country, kind, custom })).rows) await add(row);
  } else {
    for (const [index, contact] of input.contacts.entries()) {
      await add(checkListed(contact, index + 1, { country, kind }));
    }
  }
  return rows;
}

/** Numbers and user IDs of earlier rows. */
export class SeenIds {
  readonly #ids = new Set<string>();

  has({ phone, userId }: ImportRow): boolean {
    return (phone !== null && this.#ids.has(phone)) || (userId !== null && this.#ids.has(userId));
  }

  add({ phone, userId }: ImportRow): void {
    for (const each of [phone, userId]) if (each !== null) this.#ids.add(each);
  }
}

export function refuseRepeated({ row, cells, phone, written, userId }: ImportRow): RefusedRow {
  const ids = [phone === null ? [] : `phone ${phone}`, userId === null ? [] : `userId ${userId}`].flat();
  return { row, cells, phone: written, reason: `${ids.join(' or ')} is in an earlier row` };
}

export function refuseRow({ row, cells, written }: ImportRow, reason: string): RefusedRow {
  return { row, cells, phone: written, reason };
}

export function checkListed(
  contact: WaitingContact,
  position: number,
  { country, kind }: { country: NumbersWithoutPlus; kind: ChannelKind },
): ImportRow | RefusedRow {
  const { row = position, written, reason, tags, fields: customFields } = contact;
  const marks = { ...(tags && { tags }), ...(customFields && { fields: customFields }) };
  const phone = contact.phone?.trim();
  const userId = contact.userId?.trim();
  const fields = mapFields((name) => contact[name]?.trim() ?? '');
  const cells =
    contact.cells ?? toListCells({ phone: (written ?? phone ?? '').trim(), userId: userId ?? '', ...fields });
  if (reason !== undefined) return { row, cells, phone, reason };
  return checkRow({ row, cells, phone, userId, written, ...fields, ...marks }, country, kind);
}

/** Stores the parsed number and the refusal, so that a later version cannot interpret the row differently. */
export function toWaitingContact(checked: ImportRow | RefusedRow): WaitingContact {
  const { row, cells } = checked;
  if ('reason' in checked) {
    return { row, phone: checked.phone?.slice(0, MAX_IMPORTED_CELL), reason: checked.reason, cells };
  }
  const { phone, written, userId, tags, fields } = checked;
  const marks = { ...(tags && { tags }), ...(fields && { fields }) };
  const ids = { ...(phone !== null && { phone: `+${phone}`, written }), ...(userId !== null && { userId }) };
  return { row, ...ids, ...pickFields(checked), ...marks, cells };
}
