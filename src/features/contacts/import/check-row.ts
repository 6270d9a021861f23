import { isOwnUserId, OWN_USER_ID_RULE, USER_ID_ON_SMS_RULE } from '../../../carriers/numbers/user-ids.js';
import { type NumbersWithoutPlus, readWrittenNumber } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { MAX_IMPORTED_CELL } from '../../../platform/text/csv-text.js';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type WrittenFields } from '../contact-fields.js';

/** A valid row. */
export interface ImportRow extends WrittenFields {
  /** Numbered as in a spreadsheet: from 1, empty lines count, and line breaks within a cell do not. */
  row: number;
  cells: readonly string[];
  /** Digits with country code; null if the row has only a user ID. */
  phone: string | null;
  /** The number as it is written; empty without one. */
  written: string;
  /** The WhatsApp user ID, if the row has one. */
  userId: string | null;
}

/** An invalid row. */
export interface RefusedRow {
  row: number;
  cells: readonly string[];
  reason: string;
  /** The number as it is written, if the row has that cell. */
  phone?: string;
}

/** The replacement character for undecodable bytes, lone surrogates, and NUL, which PostgreSQL cannot store. */
const UNREADABLE = /[\0\p{Cs}\uFFFD]/u;
const UNREADABLE_RULE = 'the row contains NUL or undecodable characters';
const PHONE_REQUIRED = 'phone is required';
const TOO_LONG_RULE = `a cell has more than ${MAX_IMPORTED_CELL.toLocaleString('en-US')} characters`;

/** The cells of a row before they are checked. */
export type UncheckedRow = Omit<ImportRow, 'phone' | 'written' | 'userId'> & {
  phone?: string;
  written?: string;
  userId?: string;
};

/**
 * Checks a row. Numbers that do not exist in any country are refused regardless of PHONE_VALIDATION, because nobody checks each
 * number of a file. WhatsApp has some numbers of its own (see whatsapp-numbers.ts).
 * @param country the country of numbers without a plus sign
 * @param kind of the channel
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
  if (fields.some((text) => UNREADABLE.test(text))) return refuse(UNREADABLE_RULE);
  const invalid = CONTACT_FIELD_NAMES.find((name) => !CONTACT_FIELDS[name].isValid(unchecked[name]));
  if (invalid) return refuse(`${invalid} ${CONTACT_FIELDS[invalid].rule}`);
  return { ...unchecked, phone: read?.digits ?? null, written: written ?? '', userId: userId === '' ? null : userId };
}

/** Applies the rules of the channel kind to a row. */
export function toRowForKind(kind: ChannelKind, row: ImportRow | RefusedRow): ImportRow | RefusedRow {
  return kind === 'sms' && !('reason' in row) ? toSmsRow(row) : row;
}

/** Removes the user ID, because an SMS channel imports numbers only. */
export function toSmsRow(row: ImportRow): ImportRow | RefusedRow {
  if (row.phone !== null) return { ...row, userId: null };
  return { row: row.row, cells: row.cells, reason: `${PHONE_REQUIRED}: userId ${USER_ID_ON_SMS_RULE}` };
}
