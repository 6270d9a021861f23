import type { Readable } from 'node:stream';

/** A part of a file, both ends included, as HTTP counts it (RFC 9110 §14.1.1). */
export interface ByteRange {
  start: number;
  end: number;
}

/** Where the bytes of files lie, each under the id of its row. Every process of an installation has the same. */
export interface MediaFiles {
  /** For operators: a folder, or a bucket. */
  readonly place: string;
  /**
   * Takes a file in, whole or not at all: nobody sees a part of it.
   * @throws what reading the bytes throws, and what stands in the way of writing; what was begun is gone by then, unless the
   * process is killed
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** The bytes of a file, or of a part of it. @throws {MissingFile} where it is not there */
  read(id: string, range?: ByteRange): Promise<Readable>;
  /** Removes a file, and what was left of unfinished writes of it; nothing where there is none. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** The row of a file is there, and its bytes are not: they were lost, or the store was restored without them. */
export class MissingFile extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`The file ${id} is not where it was kept.`, options);
    this.name = 'MissingFile';
  }
}
