import type { Readable } from 'node:stream';

/** Range of bytes with inclusive ends, as in HTTP (RFC 9110 §14.1.1). */
export interface ByteRange {
  start: number;
  end: number;
}

export interface MediaFiles {
  /** Shown to operators. */
  readonly location: string;
  /** Stores a file atomically: if reading or writing fails, removes the written bytes and throws the error. */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** @throws {MissingFile} */
  read(id: string, range?: ByteRange): Promise<Readable>;
  /** Also removes unfinished writes. */
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

/** A file's row exists but its bytes do not, because they were lost or only the database was restored. */
export class MissingFile extends Error {
  constructor(id: string, options?: ErrorOptions) {
    super(`The bytes of the file ${id} are missing.`, options);
    this.name = 'MissingFile';
  }
}
