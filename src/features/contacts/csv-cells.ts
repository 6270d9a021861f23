import { DELIMITERS, escapeFormula } from '../../platform/text/csv-text.js';

export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Writes a line as in RFC 4180, but formulas get a leading apostrophe so that spreadsheets do not run them.
 * @param delimiter One of DELIMITERS
 */
export function toCsvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map(writeCell).join(delimiter)}\r\n`;
}

/** Returns a comma instead of a rare delimiter, which an import would not detect. */
export function chooseOutputDelimiter(delimiter: string | null): string {
  return DELIMITERS.find((each) => each === delimiter) ?? ',';
}

function writeCell(cell: string): string {
  const text = escapeFormula(cell);
  return /[",;|\r\n\t]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
