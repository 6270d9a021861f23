import { type FileHandle, open, rm } from 'node:fs/promises';
import { answeringDelimiter, BYTE_ORDER_MARK } from '../csv-cells.js';
import type { RefusedRow } from './check-row.js';
import { refusedHeader, refusedLine } from './refused-rows.js';

/**
 * The file that tells which rows were not imported and why: `row`, `reason`, and the columns of the imported file, with its
 * delimiter. It can be imported as it is; of such a file the first two columns are not taken over.
 */
export class RefusedFile {
  readonly path: string;
  readonly #header: readonly string[];
  #delimiter: string;
  #file: FileHandle | null = null;
  #bytes = 0;

  private constructor(path: string, header: readonly string[], delimiter: string) {
    this.path = path;
    this.#header = header;
    this.#delimiter = answeringDelimiter(delimiter);
  }

  /**
   * Opens the file to write behind its first `bytes`. What lies behind them belongs to a batch that was not committed.
   * With 0 bytes an older file is removed, and a new one made once there is a row for it.
   */
  static async open(path: string, header: readonly string[], delimiter: string, bytes: number): Promise<RefusedFile> {
    const refused = new RefusedFile(path, header, delimiter);
    if (bytes === 0) {
      await rm(path, { force: true });
      return refused;
    }
    // Where the file was taken away in between, the rest goes into a new one.
    const file = await open(path, 'a+');
    const { size } = await file.stat();
    refused.#file = file;
    refused.#bytes = size;
    await refused.cutTo(Math.min(size, bytes));
    if (refused.#bytes > 0) refused.#delimiter = await delimiterOf(file);
    return refused;
  }

  /** Length of what was written. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes back what was written beyond this length. */
  async cutTo(bytes: number): Promise<void> {
    if (this.#bytes === bytes) return;
    await this.#file?.truncate(bytes);
    this.#bytes = bytes;
  }

  async write(rows: readonly RefusedRow[]): Promise<void> {
    if (rows.length === 0) return;
    this.#file ??= await open(this.path, 'a');
    const lines = rows.map((row) => refusedLine(row, this.#header, this.#delimiter));
    if (this.#bytes === 0) lines.unshift(refusedHeader(this.#header, this.#delimiter));
    const text = Buffer.from(lines.join(''));
    await this.#file.appendFile(text);
    await this.#file.datasync();
    this.#bytes += text.length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** What stands behind the name of its first column: a version that knew commas alone may have begun it. */
async function delimiterOf(file: FileHandle): Promise<string> {
  const before = Buffer.byteLength(`${BYTE_ORDER_MARK}row`);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, before);
  return answeringDelimiter(buffer.toString());
}
