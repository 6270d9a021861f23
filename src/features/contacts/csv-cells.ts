import { DELIMITERS, escapeFormula } from '../../platform/text/csv-text.js';

export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * RFC 4180, except that formulas get a leading apostrophe, so that spreadsheets do not run them.
 * @param delimiter one of DELIMITERS
 */
export function toCsvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map(writeCell).join(delimiter)}\r\n`;
}

/** Uses a comma instead of a rare delimiter, because an import would not detect that one. */
export function chooseOutputDelimiter(delimiter: string | null): string {
  return DELIMITERS.find((each) => each === delimiter) ?? ',';
}

function writeCell(cell: string): string {
  const text = escapeFormula(cell);
  return /[",;|\r\n\t]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}
