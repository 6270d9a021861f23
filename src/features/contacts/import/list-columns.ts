import { CONTACT_FIELD_NAMES, type WrittenFields } from '../contact-fields.js';

export const FIRST_LIST_COLUMNS = ['phone', 'name', 'email'] as const;

/** Stored cells are in this order, so new columns must be appended at the end. */
export const LIST_COLUMNS = [...new Set([...FIRST_LIST_COLUMNS, 'userId' as const, ...CONTACT_FIELD_NAMES])];

export function toListCells(contact: WrittenFields & { phone: string; userId: string }): string[] {
  const cells = LIST_COLUMNS.map((column) => contact[column]);
  const length = cells.findLastIndex((cell) => cell !== '') + 1;
  return cells.slice(0, Math.max(length, FIRST_LIST_COLUMNS.length));
}
