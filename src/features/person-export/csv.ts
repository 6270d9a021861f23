import { BYTE_ORDER_MARK, toCsvLine } from '../contacts/csv-cells.js';
import type { ExportedRow } from './export-store.js';

/**
 * Writes rows as a CSV file with the names of their fields in the first line. Objects and arrays become JSON, and an absent
 * value an empty cell.
 * @param rows at least one; all have the same fields
 */
export function toCsvFile(rows: readonly ExportedRow[]): string {
  const names = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => toCsvLine(names.map((name) => toCell(row[name]))));
  return `${BYTE_ORDER_MARK}${toCsvLine(names)}${lines.join('')}`;
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
