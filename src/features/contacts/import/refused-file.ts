import { type FileHandle, open, rm } from 'node:fs/promises';
import { BYTE_ORDER_MARK, csvLine } from '../csv-cells.js';
import type { RefusedRow } from './check-row.js';

/** What the file puts before the columns of the imported one. */
const OWN = ['row', 'reason'];

/**
 * The file that tells which rows were not imported and why: `row`, `reason`, and the columns of the imported file. It can be
 * imported as it is; of such a file the first two columns are not taken over.
 */
export class RefusedFile {
  readonly path: string;
  readonly #header: readonly string[];
  readonly #skipped: number;
  #file: FileHandle | null = null;
  #bytes = 0;

  private constructor(path: string, header: readonly string[]) {
    this.path = path;
    this.#header = header;
    this.#skipped = OWN.every((name, index) => header[index] === name) ? OWN.length : 0;
  }

  /**
   * Opens the file to write behind its first `bytes`. What lies behind them belongs to a batch that was not committed.
   * With 0 bytes an older file is removed, and a new one made once there is a row for it.
   */
  static async open(path: string, header: readonly string[], bytes: number): Promise<RefusedFile> {
    const refused = new RefusedFile(path, header);
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
    const lines = rows.map(({ row, reason, cells }) => csvLine([String(row), reason, ...cells.slice(this.#skipped)]));
    if (this.#bytes === 0) lines.unshift(BYTE_ORDER_MARK + csvLine([...OWN, ...this.#header.slice(this.#skipped)]));
    const text = Buffer.from(lines.join(''));
    await this.#file.appendFile(text);
    await this.#file.datasync();
    this.#bytes += text.length;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
