import { isOwnUserId, OWN_USER_ID_RULE, USER_ID_ON_SMS_RULE } from '../../../carriers/numbers/user-ids.js';
import { type NumbersWithoutPlus, readWrittenNumber } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { MAX_IMPORTED_CELL } from '../../../platform/text/csv-text.js';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type WrittenFields } from '../contact-fields.js';
import type { RowMarks } from '../custom/imported-marks.js';
import type { Locale } from '../locale-value.js';

export interface ImportRow extends WrittenFields, RowMarks {
  /** Row number as in a spreadsheet: counted from 1, including empty lines but not line breaks within cells. */
  row: number;
  cells: readonly string[];
  /** A number in digits with country code, or null if the row has only a user ID. */
  phone: string | null;
  /** The number as written. */
  written: string;
  userId: string | null;
}

export interface RefusedRow {
  row: number;
  cells: readonly string[];
  reason: string;
  /** The number as written. */
  phone?: string;
}

/** Matches NUL and lone surrogates, which cannot be stored, and U+FFFD, which replaces undecodable bytes. */
const UNREADABLE_CHARACTER = /[\0\p{Cs}\uFFFD]/u;
const UNREADABLE_RULE = 'the row contains NUL or undecodable characters';
const PHONE_REQUIRED = 'phone is required';
const TOO_LONG_RULE = `a cell has more than ${MAX_IMPORTED_CELL.toLocaleString('en-US')} characters`;

export type UncheckedRow = Omit<ImportRow, 'phone' | 'written' | 'userId'> & {
  phone?: string;
  written?: string;
  userId?: string;
};

/**
 * Refuses numbers that exist in no country, even if PHONE_VALIDATION would accept them, because nobody checks each
 * number of a file. Some numbers exist only in WhatsApp (see whatsapp-numbers.ts).
 */
export function checkRow(
  unchecked: UncheckedRow,
  country: NumbersWithoutPlus,
  kind: ChannelKind,
): ImportRow | RefusedRow {
  const { row, cells, phone, userId = '' } = unchecked;
  const fields = CONTACT_FIELD_NAMES.map((name) => unchecked[name]);
  const written = unchecked.written ?? phone;
  const refuse = (reason: string): RefusedRow => ({ row, cells, reason, phone: written });
  const hasNumber = userId === '' || (phone ?? '') !== '';
  if (hasNumber && (phone === undefined || written === undefined)) return refuse(PHONE_REQUIRED);
  if ([written ?? '', userId, ...fields].some((cell) => cell.length > MAX_IMPORTED_CELL)) return refuse(TOO_LONG_RULE);
  const read = hasNumber ? readWrittenNumber(phone ?? '', country, kind) : null;
  if (read && 'reason' in read) return refuse(`phone ${read.reason}`);
  if (userId !== '' && !isOwnUserId(userId)) return refuse(`userId ${OWN_USER_ID_RULE}`);
  const texts = [...fields, ...(unchecked.tags ?? []), ...Object.values(unchecked.fields ?? {}).map(String)];
  if (texts.some((text) => UNREADABLE_CHARACTER.test(text))) return refuse(UNREADABLE_RULE);
  const checkedRow = { ...unchecked, ...dropUnknownLocale(unchecked) };
  const invalid = CONTACT_FIELD_NAMES.find((name) => !CONTACT_FIELDS[name].isValid(checkedRow[name]));
  if (invalid) return refuse(`${invalid} ${CONTACT_FIELDS[invalid].rule}`);
  return { ...checkedRow, phone: read?.digits ?? null, written: written ?? '', userId: userId === '' ? null : userId };
}

/**
 * Other programs write languages and time zones in their own forms, such as "French". Rows are not refused because of them.
 */
function dropUnknownLocale(row: WrittenFields): Pick<WrittenFields, keyof Locale> {
  const keep = (name: keyof Locale) => (CONTACT_FIELDS[name].isValid(row[name]) ? row[name] : '');
  return { language: keep('language'), timeZone: keep('timeZone') };
}

export function toRowForKind(kind: ChannelKind, row: ImportRow | RefusedRow): ImportRow | RefusedRow {
  return kind === 'sms' && !('reason' in row) ? toSmsRow(row) : row;
}

export function toSmsRow(row: ImportRow): ImportRow | RefusedRow {
  if (row.phone !== null) return { ...row, userId: null };
  return { row: row.row, cells: row.cells, reason: `${PHONE_REQUIRED}: userId ${USER_ID_ON_SMS_RULE}` };
}
