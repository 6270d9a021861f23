import { DELIMITERS, escapeFormula } from '../../platform/text/csv-text.js';

/** Byte order mark, by which spreadsheets recognize UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Formats a line of CSV (RFC 4180). Formulas get a leading apostrophe, so that spreadsheets do not run them.
 * @param delimiter one of DELIMITERS
 */
export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map(writeCell).join(delimiter)}\r\n`;
}

/** The delimiter for a CSV response to a file. Rare delimiters become a comma, because they are not detected again. */
export function answeringDelimiter(delimiter: string | null): string {
  return DELIMITERS.find((each) => each === delimiter) ?? ',';
}

function writeCell(cell: string): string {
  const text = escapeFormula(cell);
  return /[",;|\r\n\t]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
