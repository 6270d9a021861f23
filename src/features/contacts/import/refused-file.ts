import { type FileHandle, open, rm } from 'node:fs/promises';
import { BYTE_ORDER_MARK, chooseOutputDelimiter } from '../csv-cells.js';
import type { RefusedRow } from './check-row.js';
import { toRefusedHeader, toRefusedLine } from './refused-rows.js';

/**
 * A CSV file of refused rows, which can be imported again because imports skip its first columns, `row` and `reason`.
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
    this.#delimiter = chooseOutputDelimiter(delimiter);
  }

  /**
   * Cuts the file to `bytes`, because the rest belongs to a batch that was not committed. If `bytes` is 0, deletes the
   * file.
   */
  static async open(path: string, header: readonly string[], delimiter: string, bytes: number): Promise<RefusedFile> {
    const refused = new RefusedFile(path, header, delimiter);
    if (bytes === 0) {
      await rm(path, { force: true });
      return refused;
    }
    // If somebody has removed the file, the remaining rows are written to a new file.
    const file = await open(path, 'a+');
    const { size } = await file.stat();
    refused.#file = file;
    refused.#bytes = size;
    await refused.cutTo(Math.min(size, bytes));
    if (refused.#bytes > 0) refused.#delimiter = await readDelimiter(file);
    return refused;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async cutTo(bytes: number): Promise<void> {
    if (this.#bytes === bytes) return;
    await this.#file?.truncate(bytes);
    this.#bytes = bytes;
  }

  async write(rows: readonly RefusedRow[]): Promise<void> {
    if (rows.length === 0) return;
    this.#file ??= await open(this.path, 'a');
    const lines = rows.map((row) => toRefusedLine(row, this.#header, this.#delimiter));
    if (this.#bytes === 0) lines.unshift(toRefusedHeader(this.#header, this.#delimiter));
    const text = Buffer.from(lines.join(''));
    await this.#file.appendFile(text);
    await this.#file.datasync();
    this.#bytes += text.length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}

/** Reads the delimiter from the file, because older versions always wrote commas. */
async function readDelimiter(file: FileHandle): Promise<string> {
  const before = Buffer.byteLength(`${BYTE_ORDER_MARK}row`);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, before);
  return chooseOutputDelimiter(buffer.toString());
}
