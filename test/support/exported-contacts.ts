import { CONTACT_FIELD_NAMES } from '../../src/features/contacts/contact-fields.js';
import { toCsvLine } from '../../src/features/contacts/csv-cells.js';

/** Builds a CSV file in which columns that a row does not name are empty. */
export function buildExportedCsv(
  rows: readonly Readonly<Record<string, string | undefined>>[],
  { withIds = false } = {},
): string {
  const columns = ['phone', ...CONTACT_FIELD_NAMES, ...(withIds ? ['userId', 'username'] : [])];
  return [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))]
    .map((row) => toCsvLine(row))
    .join('');
}
