import { analyse } from 'chardet';

/** By their TextDecoder names. */
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

export const DELIMITERS = [',', ';', '\t', '|'] as const;

export const CSV_RULES = {
  bom: true,
  // Files merged from several sources may have mixed line endings.
  record_delimiter: ['\r\n', '\n', '\r'] as string[],
  relax_column_count: true,
  relax_quotes: true,
  /** A record of more than 1 MiB means that a quotation mark was left open. */
  max_record_size: 1_048_576,
} as const;

export const MAX_IMPORTED_CELL = 1_000;

export const MAX_CELL_LENGTH = 32_767;
export const MAX_COLUMNS = 16_384;

/** Spreadsheets write an empty row as delimiters without text. */
export function isEmptyRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '');
}

/** Text beyond the last column may result from an unquoted delimiter inside a cell. */
export function describeExtraCells(cells: readonly string[], width: number): string | null {
  const hasExtraText = cells.slice(width).some((cell) => cell.trim() !== '');
  return hasExtraText ? `the row has ${cells.length} cells, the header ${width}` : null;
}

const SAMPLE_BYTES = 65_536;

const BYTE_ORDER_MARKS: readonly [Encoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Windows encodings that contain all characters of an ISO encoding, by WHATWG's Encoding Standard. */
const WINDOWS_EQUIVALENTS: Readonly<Record<string, Encoding>> = {
  'iso-8859-1': 'windows-1252',
  'iso-8859-2': 'windows-1250',
  'iso-8859-5': 'windows-1251',
  'iso-8859-6': 'windows-1256',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-9': 'windows-1254',
};

/**
 * Decodes as a stream, because otherwise Node.js 20 confuses windows-1252 with Latin-1 and loses ’, “ and €. Throws a
 * RangeError for an encoding that TextDecoder does not support.
 */
export function decodeText(encoding: string, bytes: Uint8Array): string {
  const decoder = new TextDecoder(encoding);
  return decoder.decode(bytes, { stream: true }) + decoder.decode();
}

/** Guesses the encoding only if the bytes are not Unicode, and falls back to windows-1252. */
export class EncodingDetector {
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true });
  #isUtf8 = true;
  #head = new Uint8Array(0);
  /** Sample that starts shortly before the first character beyond ASCII. */
  #sample: Uint8Array | null = null;

  write(bytes: Uint8Array): void {
    if (this.#head.length < SAMPLE_BYTES) {
      const nextBytes = bytes.subarray(0, SAMPLE_BYTES - this.#head.length);
      const head = new Uint8Array(this.#head.length + nextBytes.length);
      head.set(this.#head);
      head.set(nextBytes, this.#head.length);
      this.#head = head;
    }
    this.#sample ??= sampleNonAscii(bytes);
    if (this.#isUtf8) this.#isUtf8 = this.#canDecode(bytes, true);
  }

  end(): Encoding {
    const marked = BYTE_ORDER_MARKS.find(([, mark]) => mark.every((byte, index) => this.#head[index] === byte));
    if (marked) return marked[0];
    const utf16 = this.#detectUtf16();
    if (utf16) return utf16;
    if (this.#isUtf8 && this.#canDecode(new Uint8Array(0), false)) return 'utf-8';
    return guessEncoding(this.#sample ?? this.#head);
  }

  #canDecode(bytes: Uint8Array, stream: boolean): boolean {
    try {
      this.#utf8.decode(bytes, { stream });
      return true;
    } catch {
      return false;
    }
  }

  /** In UTF-16, every second byte of Latin text is zero. */
  #detectUtf16(): Encoding | null {
    const zeros = [0, 0];
    for (const [index, byte] of this.#head.entries()) if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
    const [even = 0, odd = 0] = zeros;
    const pairs = this.#head.length / 2;
    if (odd > pairs / 2 && even < pairs / 10) return 'utf-16le';
    return even > pairs / 2 && odd < pairs / 10 ? 'utf-16be' : null;
  }
}

function sampleNonAscii(bytes: Uint8Array): Uint8Array | null {
  const first = bytes.findIndex((byte) => byte > 0x7f);
  const start = Math.max(0, first - SAMPLE_BYTES / 8);
  return first === -1 ? null : bytes.slice(start, start + SAMPLE_BYTES);
}

/** Confidence in percent below which windows-1252 is more likely. */
const MIN_CONFIDENCE_WORDS = 30;
const MIN_CONFIDENCE_ALL = 60;

/** Words with characters beyond ASCII reveal more about the encoding than the numbers and English headings around them. */
function guessEncoding(sample: Uint8Array): Encoding {
  return (
    guessIfConfident(extractForeignWords(sample), MIN_CONFIDENCE_WORDS) ??
    guessIfConfident(sample, MIN_CONFIDENCE_ALL) ??
    'windows-1252'
  );
}

function guessIfConfident(bytes: Uint8Array, minConfidence: number): Encoding | undefined {
  for (const { name, confidence } of analyse(bytes)) {
    const lowerName = name.toLowerCase();
    const encoding = WINDOWS_EQUIVALENTS[lowerName] ?? ENCODINGS.find((known) => known === lowerName);
    if (encoding && encoding !== 'utf-8' && confidence >= minConfidence) return encoding;
  }
  return undefined;
}

function extractForeignWords(bytes: Uint8Array): Uint8Array {
  const words: number[] = [];
  let word: number[] = [];
  const finishWord = () => {
    if (word.some((byte) => byte > 0x7f)) words.push(...word, 0x20);
    word = [];
  };
  for (const byte of bytes) {
    const isLetter = byte > 0x7f || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
    if (isLetter) word.push(byte);
    else finishWord();
  }
  finishWord();
  return Uint8Array.from(words);
}

export interface CsvLayout {
  delimiter: string;
  /** Length of a leading `sep=;` line, which spreadsheets write and hide. */
  start: number;
}

export function detectLayout(text: string, knownDelimiter?: string): CsvLayout {
  const separatorLine = /^\uFEFF?"?sep=([^\r\n])"?(?:\r\n|\n|\r|$)/i.exec(text);
  const start = separatorLine?.[0].length ?? 0;
  const delimiter = knownDelimiter ?? separatorLine?.[1] ?? findDelimiter(text.slice(start));
  return { delimiter, start };
}

function findDelimiter(text: string): string {
  const [line = ''] = text.replace(/^[\s\uFEFF]+/, '').split(/\r|\n/, 1);
  const unquoted = line.replace(/"(?:[^"]|"")*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return DELIMITERS.reduce<string>((best, candidate) => (count(candidate) > count(best) ? candidate : best), ',');
}

/** Characters that start a formula in spreadsheets, in some also as full-width forms (OWASP, CSV Injection). */
const FORMULA_START = '=+\\-@\\t\\r\uFF1D\uFF0B\uFF0D\uFF20';
/** Spreadsheets in many countries also start a new cell after a semicolon. */
const FORMULA = new RegExp(`(^|;)(["\\s]*)(?=[${FORMULA_START}])`, 'g');
const ESCAPED_FORMULA = new RegExp(`(^|;)(["\\s]*)'(?=[${FORMULA_START}])`, 'g');
/** Phone number with a plus sign, which is harmless as a formula and must stay unchanged for imports. */
const PLAIN_NUMBER = /^\+\d{1,15}$/;

/** Adds an apostrophe before text that a spreadsheet would run as a formula. */
export function escapeFormula(cell: string): string {
  return PLAIN_NUMBER.test(cell) ? cell : cell.replace(FORMULA, "$1$2'");
}

/** Reverses `escapeFormula`. */
export function readCell(cell: string): string {
  return cell.replace(ESCAPED_FORMULA, '$1$2');
}
