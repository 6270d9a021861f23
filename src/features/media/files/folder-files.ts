import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fillDataFolder } from '../../../platform/machine/data-folder.js';
import { syncFolder } from '../../../platform/machine/sync-folder.js';
import { type ByteRange, type MediaFiles, MissingFile } from './media-files.js';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const CHUNK_BYTES = 64 * 1024;

/**
 * Stores files in a folder that several machines may share. A file gets its final name only after its bytes are synced
 * to disk.
 */
export class FolderFiles implements MediaFiles {
  readonly location: string;
  readonly #dataDir: string;

  /** @param dataDir absolute path of the data folder, whose `media` folder contains the files */
  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.location = join(dataDir, 'media');
  }

  async write(id: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = this.#folderFor(id);
    await fillDataFolder(this.#dataDir, () => mkdir(folder, { recursive: true, mode: FOLDER_MODE }));
    const draft = join(folder, `${id}.${randomBytes(6).toString('hex')}.part`);
    const file = await open(draft, 'wx', FILE_MODE);
    try {
      await pipeline(bytes, file.createWriteStream({ flush: true, highWaterMark: CHUNK_BYTES }));
      await rename(draft, join(folder, id));
      // The file's new name is durable only after the folder is synced.
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
    const folder = this.#folderFor(id);
    for (const name of await listNames(folder)) {
      if (name === id || name.startsWith(`${id}.`)) await rm(join(folder, name), { force: true });
    }
  }

  async close(): Promise<void> {}

  async #open(id: string): Promise<FileHandle> {
    try {
      return await open(join(this.#folderFor(id), id), 'r');
    } catch (error) {
      if (isMissing(error)) throw new MissingFile(id, { cause: error });
      throw error;
    }
  }

  /** The last digits of IDs distribute files evenly over folders, because IDs start with the time. */
  #folderFor(id: string): string {
    return join(this.location, id.slice(-2));
  }
}

async function listNames(folder: string): Promise<string[]> {
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
