import { createHash } from 'node:crypto';
import { HEAD_BYTES } from './content-type.js';

/** What was found out of bytes on their way. */
export interface Inspected {
  /** In bytes. */
  size: number;
  /** SHA-256 in base64. */
  sha256: string;
}

export interface InspectionOptions {
  /**
   * Told of the first `HEAD_BYTES`, or of all there is where that is less, before any byte goes on.
   * @returns how many bytes there may be
   */
  onHead(head: Buffer): number;
  /** What is thrown once there are more. */
  tooLarge(limit: number): Error;
}

/** Looks at bytes on their way: their type is asked for first, then they are counted and hashed. None is held back. */
export class Inspection {
  readonly #options: InspectionOptions;
  readonly #hash = createHash('sha256');
  #size = 0;
  #limit = Number.POSITIVE_INFINITY;
  #result: Inspected | null = null;

  constructor(options: InspectionOptions) {
    this.#options = options;
  }

  /** The same bytes, as far as nothing stands against them. */
  async *pass(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
    let head: Buffer[] | null = [];
    let headBytes = 0;
    for await (const chunk of source) {
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      if (head === null) {
        yield this.#count(bytes);
        continue;
      }
      head.push(bytes);
      headBytes += bytes.length;
      if (headBytes < HEAD_BYTES) continue;
      yield this.#begin(head);
      head = null;
    }
    if (head !== null) yield this.#begin(head);
  }

  /** Once all bytes have passed. */
  result(): Inspected {
    this.#result ??= { size: this.#size, sha256: this.#hash.digest('base64') };
    return this.#result;
  }

  #begin(chunks: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(chunks);
    this.#limit = this.#options.onHead(bytes.subarray(0, HEAD_BYTES));
    return this.#count(bytes);
  }

  #count(bytes: Buffer): Buffer {
    this.#size += bytes.length;
    if (this.#size > this.#limit) throw this.#options.tooLarge(this.#limit);
    this.#hash.update(bytes);
    return bytes;
  }
}
