import { parse } from 'csv-parse/browser/esm';
import {
  CSV_RULES,
  detectLayout,
  type Encoding,
  EncodingDetector,
  isEmptyRow,
} from '../../../../src/platform/text/csv-text.js';
import type { CsvFile, FileRow } from './mapping.js';

const SAMPLE_BYTES = 65_536;

/** Options for reading a file; any option that is not set is detected from the file's content. */
export interface ReadOptions {
  encoding?: Encoding;
  delimiter?: string;
}

/** Reads a file in chunks, so that the page stays responsive. Throws if a quotation mark is not closed. */
export async function readCsv(file: File, options: ReadOptions): Promise<CsvFile> {
  const encoding = options.encoding ?? (await detectEncoding(file));
  const sample = new TextDecoder(encoding).decode(await file.slice(0, SAMPLE_BYTES).arrayBuffer());
  const { delimiter, start } = detectLayout(sample, options.delimiter);
  const properties = { source: file, name: file.name, encoding, delimiter };
  // The browser build of the parser emits no `end` event if it received no data.
  if (file.size <= SAMPLE_BYTES && sample.slice(start).trim() === '') return { ...properties, header: [], rows: [] };
  const rows: FileRow[] = [];
  let row = 0;
  const parser = parse({ ...CSV_RULES, delimiter });
  const parsing = new Promise<void>((resolve, reject) => {
    parser.on('readable', () => {
      for (let cells = parser.read() as string[] | null; cells !== null; cells = parser.read() as string[] | null) {
        row += 1;
        if (!isEmptyRow(cells)) rows.push({ row, cells });
      }
    });
    parser.on('end', resolve);
    parser.on('error', reject);
  });
  const reader = file.stream().pipeThrough(new TextDecoderStream(encoding)).getReader();
  const feedParser = async () => {
    let skipped = 0;
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      const skip = Math.min(start - skipped, chunk.value.length);
      skipped += skip;
      if (!parser.write(chunk.value.slice(skip))) await new Promise((resolve) => parser.once('drain', resolve));
    }
    parser.end();
  };
  await Promise.all([feedParser(), parsing]);
  const [first, ...rest] = rows;
  return { ...properties, header: first?.cells ?? [], rows: rest };
}

async function detectEncoding(file: File): Promise<Encoding> {
  const detector = new EncodingDetector();
  const reader = file.stream().getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) detector.write(chunk.value);
  return detector.end();
}
