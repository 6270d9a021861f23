import { lstat, mkdir, readlink, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../errors/start-error.js';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user has no write access',
  EPERM: 'this user has no write access',
  EROFS: 'its file system is read-only',
  ENOENT: 'the folder cannot be created there',
  ENOTDIR: 'part of its path is not a folder',
  EEXIST: 'something that is not a folder has this name',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its links form a loop',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's disk quota is used up",
};

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/** Throws a StartError if the data folder cannot be used, and passes on other errors of `fill`. */
export async function fillDataFolder<T>(dataDir: string, fill: () => Promise<T>): Promise<T> {
  try {
    await createFolders(dataDir);
    return await fill();
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? REASONS[String(error.code)] : undefined;
    if (!reason) throw error;
    const link = await findBrokenLink(dataDir);
    if (link) throw new StartError(`Cannot use DATA_DIR ${dataDir}: ${link}`, { cause: error });
    // Do not suggest another folder when the disk is full, because a store there would be empty.
    const advice = DISK_FULL_CODES.has(String((error as NodeJS.ErrnoException).code))
      ? 'Free some space; the data is still there.'
      : 'Set DATA_DIR to a folder that this user can write to.';
    throw new StartError(`Cannot use DATA_DIR ${dataDir}: ${reason}. ${advice}`, { cause: error });
  }
}

/**
 * Finds broken links, because creating a folder in place of an unmounted disk would result in an empty store. Returns the
 * problem and its solution, or null if no part of the path is a broken link.
 */
export async function findBrokenLink(folder: string): Promise<string | null> {
  try {
    if ((await lstat(folder)).isSymbolicLink()) {
      await stat(folder);
      return null;
    }
  } catch (error) {
    const target = await readlink(folder).catch(() => null);
    if (target !== null && error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      return `${folder} is a link to ${target}, which does not exist. Mount or create that folder; the data may be in it.`;
    }
  }
  return dirname(folder) === folder ? null : await findBrokenLink(dirname(folder));
}

/**
 * Creates folders one by one: `mkdir` with `recursive` never returns for /proc/x, and hides that a file system is read-only.
 */
async function createFolders(folder: string): Promise<void> {
  if (await folderExists(folder)) return;
  if (dirname(folder) !== folder) await createFolders(dirname(folder));
  try {
    // The PostgreSQL user must be able to enter the folder.
    await mkdir(folder, { mode: 0o755 });
  } catch (error) {
    if (!(await folderExists(folder))) throw error;
  }
}

/** @throws if not a folder */
async function folderExists(folder: string): Promise<boolean> {
  try {
    if ((await stat(folder)).isDirectory()) return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`${folder} is not a folder`), { code: 'EEXIST' });
}
