import type { Readable } from 'node:stream';

/** A part of a file, both ends inclusive as in HTTP (RFC 9110 §14.1.1). */
export interface ByteRange {
  start: number;
  end: number;
}

/** Storage for the bytes of files, by media ID. All processes of an installation share it. */
export interface MediaFiles {
  /** The folder or bucket, for operators. */
  readonly location: string;
  /**
   * Stores a file atomically: incomplete files are never visible.
   * @throws errors from reading or writing the bytes, after removing what was written
   */
  write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Opens a file or a range of it. @throws {MissingFile} if it does not exist */
  read(id: string, range?: ByteRange): Promise<Readable>;
  /** Removes a file and unfinished writes of it. Does nothing if there are none. */
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
