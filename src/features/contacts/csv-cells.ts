import { escapeFormula } from '../../platform/text/csv-text.js';

/** By it a spreadsheet knows that a file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** A line of CSV (RFC 4180). What a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(cell: string): string {
  const text = escapeFormula(cell);
  return /[",;\r\n\t]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
