import { analyse } from 'chardet';

/** The encodings that a file of CSV may be said to have; a TextDecoder knows each by this name. */
export const ENCODINGS = [
  'utf-8',
  'windows-1252',
  'utf-16le',
  'utf-16be',
  'windows-1250',
  'windows-1251',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'euc-kr',
  'gb18030',
  'big5',
] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** What may stand between two cells. */
export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** How every reader of CSV is set up, beside the delimiter. */
export const CSV_RULES = {
  bom: true,
  // Files that were put together from several have lines that end in several ways.
  record_delimiter: ['\r\n', '\n', '\r'] as string[],
  relax_column_count: true,
  relax_quotes: true,
  /** Far more than any row has: beyond it, a quotation mark was left open. */
  max_record_size: 1_048_576,
} as const;

/** Most characters of a cell that is taken over. */
export const LONGEST_CELL = 1_000;

/** Most characters that a cell of a spreadsheet holds, and most columns that it has. */
export const MOST_OF_CELL = 32_767;
export const MOST_COLUMNS = 16_384;

/** Whether a row is empty: an empty line, or only delimiters, as spreadsheets write empty rows. */
export function isEmptyRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/**
 * Why a row does not fit its header: text beyond the last column may have been moved there by a delimiter inside a cell. Missing
 * cells, and empty cells beyond the last column, are fine.
 */
export function tooManyCells(cells: readonly string[], width: number): string | null {
  const isMoved = cells.slice(width).some((cell) => cell.trim() !== '');
  return isMoved ? `the row has ${cells.length} cells, the header ${width}` : null;
}

/** Bytes of which the encoding is guessed where they are no UTF-8. */
const SAMPLE_BYTES = 65_536;

const MARKS: readonly [Encoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** ISO-8859-1 and US-ASCII are read as windows-1252 everywhere on the web (WHATWG); a file of Windows has nothing else. */
const SAME: Readonly<Record<string, Encoding>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-2': 'windows-1250',
  'iso-8859-5': 'windows-1251',
  'iso-8859-6': 'windows-1256',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
};

/**
 * A text from all of its bytes. In pieces, for at once Node.js 20 takes windows-1252 for Latin-1, and loses ’, “ and €.
 * @throws {RangeError} for an encoding that a TextDecoder does not know
 */
export function decodeText(encoding: string, bytes: Uint8Array): string {
  const decoder = new TextDecoder(encoding);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

/**
 * Finds the encoding of a file from all of its bytes: its mark, zeros between the letters, valid UTF-8; else what is most
 * likely, and windows-1252 where nothing is.
 */
export class EncodingDetector {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #isUtf8 = true;
  #head = new Uint8Array(0);
  /** The first bytes with something beyond ASCII in them. */
  #sample: Uint8Array | null = null;

  write(bytes: Uint8Array): void {
    if (this.#head.length < SAMPLE_BYTES) {
      const more = bytes.subarray(0, SAMPLE_BYTES - this.#head.length);
      const head = new Uint8Array(this.#head.length + more.length);
      head.set(this.#head);
      head.set(more, this.#head.length);
      this.#head = head;
    }
    this.#sample ??= around(bytes);
    if (this.#isUtf8) this.#isUtf8 = this.#decodes(bytes, true);
  }

  end(): Encoding {
    const marked = MARKS.find(([, mark]) => mark.every((byte, index) => this.#head[index] === byte));
    if (marked) return marked[0];
    const wide = this.#wide();
    if (wide) return wide;
    if (this.#isUtf8 && this.#decodes(new Uint8Array(0), false)) return 'utf-8';
    return likely(this.#sample ?? this.#head);
  }

  #decodes(bytes: Uint8Array, stream: boolean): boolean {
    try {
      this.#utf8.decode(bytes, { stream });
      return true;
    } catch {
      return false;
    }
  }

  /** UTF-16 without a mark: of Latin letters, digits and delimiters every second byte is zero. */
  #wide(): Encoding | null {
    const zeros = [0, 0];
    for (const [index, byte] of this.#head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
    const [even = 0, odd = 0] = zeros;
    const pairs = this.#head.length / 2;
    if (odd > pairs / 2 && even < pairs / 10) return 'utf-16le';
    return even > pairs / 2 && odd < pairs / 10 ? 'utf-16be' : null;
  }
}

/** What begins a little before the first byte beyond ASCII; null where there is none. */
function around(bytes: Uint8Array): Uint8Array | null {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, first - SAMPLE_BYTES / 8);
  return first === -1 ? null : bytes.slice(start, start + SAMPLE_BYTES);
}

/** Confidences of a guess, in percent, below which it is no better than the commonest encoding. */
const SURE_OF_WORDS = 30;
const SURE_OF_ALL = 60;

/** The words in question tell more than all the numbers and English headings around them. */
function likely(sample: Uint8Array): Encoding {
  return guess(foreignWords(sample), SURE_OF_WORDS) ?? guess(sample, SURE_OF_ALL) ?? 'windows-1252';
}

function guess(bytes: Uint8Array, sure: number): Encoding | undefined {
  for (const { name, confidence } of analyse(bytes)) {
    const lower = name.toLowerCase();
    const encoding = SAME[lower] ?? ENCODINGS.find((each) => each === lower);
    if (encoding && encoding !== 'utf-8' && confidence >= sure) return encoding;
  }
  return undefined;
}

/** The words with a byte beyond ASCII, with a blank between two. */
function foreignWords(bytes: Uint8Array): Uint8Array {
  const words: number[] = [];
  let word: number[] = [];
  const end = () => {
    if (word.some((byte) => byte > 0x7f)) words.push(...word, 0x20);
    word = [];
  };
  for (const byte of bytes) {
    const isLetter = byte > 0x7f || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
    if (isLetter) word.push(byte);
    else end();
  }
  end();
  return Uint8Array.from(words);
}

/** How the text of a file of CSV is laid out. */
export interface CsvLayout {
  delimiter: string;
  /** Characters before its first row: a line `sep=;`, as spreadsheets write and hide it. */
  start: number;
}

/**
 * How a text of CSV is laid out, by its beginning: as its line `sep=` says, else by what stands most often between the
 * names of the columns.
 * @param given what stands between two cells, where somebody said it
 */
export function layoutOf(beginning: string, given?: string): CsvLayout {
  const said = /^\uFEFF?"?sep=([^\r\n])"?(?:\r\n|\n|\r|$)/i.exec(beginning);
  const start = said?.[0].length ?? 0;
  const delimiter = given ?? said?.[1] ?? commonest(beginning.slice(start));
  return { delimiter, start };
}

function commonest(text: string): string {
  const [line = ''] = text.replace(/^[\s\uFEFF]+/, '').split(/\r|\n/, 1);
  const bare = line.replace(/"(?:[^"]|"")*"/g, '');
  const count = (delimiter: string) => bare.split(delimiter).length;
  return DELIMITERS.reduce<string>((best, each) => (count(each) > count(best) ? each : best), ',');
}

/** What a spreadsheet takes for a formula (OWASP, CSV Injection), the full-width forms included, which some read alike. */
const FORMULA_START = '=+\\-@\\t\\r\uFF1D\uFF0B\uFF0D\uFF20';
/** At the beginning, and behind a semicolon, where a spreadsheet of many countries begins a new cell whatever the file says. */
const FORMULA = new RegExp(`(^|;)(["\\s]*)(?=[${FORMULA_START}])`, 'g');
const ESCAPED_FORMULA = new RegExp(`(^|;)(["\\s]*)'(?=[${FORMULA_START}])`, 'g');
/** A number with its plus sign is no formula that does anything, and is what an import reads best. */
const PLAIN_NUMBER = /^\+\d{1,15}$/;

/** A text with an apostrophe before what a spreadsheet would run as a formula. */
export function escapeFormula(cell: string): string {
  return PLAIN_NUMBER.test(cell) ? cell : cell.replace(FORMULA, "$1$2'");
}

/** The text of a cell, without the apostrophes of `escapeFormula`. */
export function readCell(cell: string): string {
  return cell.replace(ESCAPED_FORMULA, '$1$2');
}
