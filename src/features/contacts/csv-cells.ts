import { DELIMITERS, escapeFormula } from '../../platform/text/csv-text.js';

/** By it a spreadsheet knows that a file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A line of CSV (RFC 4180). What a spreadsheet would run as a formula gets an apostrophe in front.
 * @param delimiter one of DELIMITERS
 */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map(writeCell).join(delimiter)}\r\n`;
}

/** What stands between the cells of a file that answers one with this delimiter: a rare one is not found out again. */
export function answeringDelimiter(delimiter: string | null): string {
  return DELIMITERS.find((each) => each === delimiter) ?? ',';
}

function writeCell(cell: string): string {
  const text = escapeFormula(cell);
  return /[",;|\r\n\t]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
