import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { inDataFolder } from '../../../platform/machine/data-folder.js';
import { syncFolder } from '../../../platform/machine/sync-folder.js';
import { type ByteRange, type MediaFiles, MissingFile } from './media-files.js';

/** Only this user reads what people send each other. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const CHUNK_BYTES = 64 * 1024;

/**
 * Files in a folder of the file system, which several machines may share. A file is written under another name, and gets its
 * own once all of it is on the disk.
 */
export class FolderFiles implements MediaFiles {
  readonly place: string;
  readonly #dataDir: string;

  /** @param dataDir absolute; the files lie in `media` of it, which is made with the first of them */
  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.place = join(dataDir, 'media');
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = this.#folderOf(id);
    await inDataFolder(this.#dataDir, () => mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
    const draft = join(folder, `${id}.${randomBytes(6).toString('hex')}.part`);
    const file = await open(draft, 'wx', FILE_MODE);
    try {
      await pipeline(bytes, file.createWriteStream({ flush: true, highWaterMark: CHUNK_BYTES }));
      await rename(draft, join(folder, id));
      // A file's name is on the disk once its folder is.
      await syncFolder(folder);
    } catch (error) {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
      throw error;
    }
  }

  async read(id: string, range?: ByteRange): Promise<Readable> {
    const file = await this.#open(id);
    return file.createReadStream({ ...range, highWaterMark: CHUNK_BYTES });
  }

  async remove(id: string): Promise<void> {
    const folder = this.#folderOf(id);
    for (const name of await namesIn(folder)) {
      if (name === id || name.startsWith(`${id}.`)) await rm(join(folder, name), { force: true });
    }
  }

  async close(): Promise<void> {}

  async #open(id: string): Promise<FileHandle> {
    try {
      return await open(join(this.#folderOf(id), id), 'r');
    } catch (error) {
      if (isMissing(error)) throw new MissingFile(id, { cause: error });
      throw error;
    }
  }

  /** Ids begin with the time, so that the last digits spread files over folders. */
  #folderOf(id: string): string {
    return join(this.place, id.slice(-2));
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
