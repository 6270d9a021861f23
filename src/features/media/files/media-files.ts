import type { Readable } from 'node:stream';

/** Both ends are inclusive as in HTTP (RFC 9110 §14.1.1). */
export interface ByteRange {
  start: number;
  end: number;
}

export interface MediaFiles {
  /** Shown to operators. */
  readonly location: string;
  /**
   * Stores a file atomically.
   * @throws errors from reading or writing the bytes, after removing what was written
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** @throws {MissingFile} */
  read(id: string, range?: ByteRange): Promise<Readable>;
  /** Also removes unfinished writes. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** The row exists but the bytes do not: they were lost, or only the database was restored. */
export class MissingFile extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`The bytes of the file ${id} are missing.`, options);
    this.name = 'MissingFile';
  }
}
