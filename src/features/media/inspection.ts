import { createHash } from 'node:crypto';
import { HEAD_BYTES } from './content-type.js';

export interface InspectionResult {
  /** In bytes. */
  size: number;
  /** SHA-256 in base64. */
  sha256: string;
}

export interface InspectionOptions {
  /**
   * Called before any byte is passed on, with the first `HEAD_BYTES` of the file. Returns the maximum size of the file
   * in bytes.
   */
  onHead(head: Buffer): number;
  createTooLargeError(limit: number): Error;
}

/** Counts and hashes bytes as they pass through, without buffering them. */
export class Inspection {
  readonly #options: InspectionOptions;
  readonly #hash = createHash('sha256');
  #size = 0;
  #limit = Number.POSITIVE_INFINITY;
  #result: InspectionResult | null = null;

  constructor(options: InspectionOptions) {
    this.#options = options;
  }

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
      yield this.#passHead(head);
      head = null;
    }
    if (head !== null) yield this.#passHead(head);
  }

  result(): InspectionResult {
    this.#result ??= { size: this.#size, sha256: this.#hash.digest('base64') };
    return this.#result;
  }

  #passHead(chunks: readonly Buffer[]): Buffer {
    const bytes = Buffer.concat(chunks);
    this.#limit = this.#options.onHead(bytes.subarray(0, HEAD_BYTES));
    return this.#count(bytes);
  }

  #count(bytes: Buffer): Buffer {
    this.#size += bytes.length;
    if (this.#size > this.#limit) throw this.#options.createTooLargeError(this.#limit);
    this.#hash.update(bytes);
    return bytes;
  }
}
