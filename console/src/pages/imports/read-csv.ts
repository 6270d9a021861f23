import { parse } from 'csv-parse/browser/esm';
import type { CsvFile, FileRow } from './mapping.js';

/** Beyond it, a quotation mark was left open. */
const MAX_ROW = 1_048_576;
const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Reads a file of CSV in pieces, so that the page stays awake.
 * @throws Error when it is no CSV, such as one with a quotation mark that is not closed
 */
export async function readCsv(file: File): Promise<CsvFile> {
  const delimiter = delimiterOf(await file.slice(0, 65_536).text());
  const rows: FileRow[] = [];
  let row = 0;
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    max_record_size: MAX_ROW,
  });
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('readable', () => {
      for (let cells = parser.read() as string[] | null; cells !== null; cells = parser.read() as string[] | null) {
        row += 1;
        if (cells.length > 1 || cells[0] !== '') rows.push({ row, cells });
      }
    });
    parser.on('end', resolve);
    parser.on('error', reject);
  });
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  const feed = async () => {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (!parser.write(piece.value)) await new Promise((resolve) => parser.once('drain', resolve));
    }
    parser.end();
  };
  await Promise.all([feed(), ended]);
  const [first, ...rest] = rows;
  return { name: file.name, header: first?.cells ?? [], rows: rest };
}

/** The one that stands most often in the first line. */
function delimiterOf(beginning: string): string {
  const [line = ''] = beginning.replace(/^[\s\uFEFF]+/, '').split(/\r|\n/, 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return DELIMITERS.reduce((best, each) => (count(each) > count(best) ? each : best));
}
