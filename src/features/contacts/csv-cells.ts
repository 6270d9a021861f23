/** What a spreadsheet takes for a formula (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r]/;
const ESCAPED_FORMULA = /^'[=+\-@\t\r]/;

/** A line of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(writeCell).join(',')}\r\n`;
}

function writeCell(cell: string): string {
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text of a cell, without the apostrophe of `csvLine`. */
export function readCell(cell: string): string {
  return ESCAPED_FORMULA.test(cell) ? cell.slice(1) : cell;
}
