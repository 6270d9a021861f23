import { CONTACT_FIELD_NAMES, type WrittenFields } from '../contact-fields.js';

/** The columns that the refused rows of a list always have. */
export const FIRST_LIST_COLUMNS = ['phone', 'name', 'email'] as const;

/**
 * The columns of a list's refused rows. Cells are stored in this order, so new fields go last. Columns after the first
 * three are left out where no refused row has a value in them.
 */
export const LIST_COLUMNS = [...new Set([...FIRST_LIST_COLUMNS, 'userId' as const, ...CONTACT_FIELD_NAMES])];

/** The cells of a contact that came in a list, without empty ones at the end. */
export function toListCells(contact: WrittenFields & { phone: string; userId: string }): string[] {
  const cells = LIST_COLUMNS.map((column) => contact[column]);
  const length = cells.findLastIndex((cell) => cell !== '') + 1;
  return cells.slice(0, Math.max(length, FIRST_LIST_COLUMNS.length));
}
