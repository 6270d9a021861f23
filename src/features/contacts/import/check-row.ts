import { isOwnUserId, OWN_USER_ID_RULE, USER_ID_ON_SMS_RULE } from '../../../carriers/numbers/user-ids.js';
import { type NumbersWithoutPlus, readWrittenNumber } from '../../../carriers/numbers/written-numbers.js';
import type { ChannelKind } from '../../../platform/generated/prisma/client.js';
import { LONGEST_CELL } from '../../../platform/text/csv-text.js';
import { CONTACT_FIELD_NAMES, CONTACT_FIELDS, type WrittenFields } from '../contact-fields.js';

/** A row of the file that can be imported. */
export interface ImportRow extends WrittenFields {
  /**
   * As a spreadsheet counts: the first line is row 1, an empty line is a row as well, and a cell with line breaks makes no
   * further row.
   */
  row: number;
  cells: readonly string[];
  /** Digits with country code; null where the row has a user id alone. */
  phone: string | null;
  /** What the number was read from; empty where there is none. */
  written: string;
  /** WhatsApp's id of the person; null where the row has none. */
  userId: string | null;
}

/** A row that cannot. */
export interface RefusedRow {
  row: number;
  cells: readonly string[];
  reason: string;
  /** As it stands there; missing where the row has no such cell. */
  phone?: string;
}

/** What stands for bytes that are no text, halves of surrogate pairs, and NUL, which PostgreSQL cannot store. */
const UNREADABLE = /[\0\p{Cs}\uFFFD]/u;
const UNREADABLE_RULE = 'the row has NUL characters, or characters that are none in its encoding';
const PHONE_REQUIRED = 'phone is required';
const TOO_LONG_RULE = `a cell has more than ${LONGEST_CELL.toLocaleString('en-US')} characters`;

/** What is given of a row. */
export type GivenRow = Omit<ImportRow, 'phone' | 'written' | 'userId'> & {
  phone?: string;
  written?: string;
  userId?: string;
};

/**
 * A row as it can be imported, or why it cannot. Numbers that no country has are refused, whatever PHONE_VALIDATION says:
 * nobody looks at each of a file's numbers. WhatsApp has numbers of its own (see whatsapp-numbers.ts).
 * @param country how a number without a plus sign is read
 * @param kind of the channel
 */
export function checkRow(given: GivenRow, country: NumbersWithoutPlus, kind: ChannelKind): ImportRow | RefusedRow {
  const { row, cells, phone, userId = '' } = given;
  const fields = CONTACT_FIELD_NAMES.map((name) => given[name]);
  const written = given.written ?? phone;
  const refuse = (reason: string): RefusedRow => ({ row, cells, reason, phone: written });
  const hasNumber = userId === '' || (phone ?? '') !== '';
  if (hasNumber && (phone === undefined || written === undefined)) return refuse(PHONE_REQUIRED);
  if ([written ?? '', userId, ...fields].some((cell) => cell.length > LONGEST_CELL)) return refuse(TOO_LONG_RULE);
  const read = hasNumber ? readWrittenNumber(phone ?? '', country, kind) : null;
  if (read && 'reason' in read) return refuse(`phone ${read.reason}`);
  if (userId !== '' && !isOwnUserId(userId)) return refuse(`userId ${OWN_USER_ID_RULE}`);
  if (fields.some((text) => UNREADABLE.test(text))) return refuse(UNREADABLE_RULE);
  const invalid = CONTACT_FIELD_NAMES.find((name) => !CONTACT_FIELDS[name].isValid(given[name]));
  if (invalid) return refuse(`${invalid} ${CONTACT_FIELDS[invalid].rule}`);
  return { ...given, phone: read?.digits ?? null, written: written ?? '', userId: userId === '' ? null : userId };
}

/** A row as a channel takes it, before it is looked whether its ids stand in an earlier one. */
export function rowOfKind(kind: ChannelKind, row: ImportRow | RefusedRow): ImportRow | RefusedRow {
  return kind === 'sms' && !('reason' in row) ? rowOfSms(row) : row;
}

/** A row as a channel that sends SMS can import it: by its number alone, as if the column `userId` were not there. */
export function rowOfSms(row: ImportRow): ImportRow | RefusedRow {
  if (row.phone !== null) return { ...row, userId: null };
  return { row: row.row, cells: row.cells, reason: `${PHONE_REQUIRED}: userId ${USER_ID_ON_SMS_RULE}` };
}
