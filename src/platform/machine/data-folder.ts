import { lstat, mkdir, readlink, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { StartError } from '../errors/start-error.js';

/** What the operating system's codes mean for a folder, in words. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'it lies on a read-only file system',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'it lies below something that is no folder',
  EEXIST: 'there is something of this name that is no folder',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its links lead in a circle',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's share of the disk is full",
};

/** What another DATA_DIR would not mend. */
const FULL = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Makes the folder DATA_DIR where it is missing, and fills it.
 * @param dataDir absolute path
 * @throws {StartError} that says why the folder cannot be used, and what `fill` throws for any other reason
 */
export async function inDataFolder<T>(dataDir: string, fill: () => Promise<T>): Promise<T> {
  try {
    await makeFolders(dataDir);
    return await fill();
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? REASONS[String(error.code)] : undefined;
    if (!reason) throw error;
    const link = await findBrokenLink(dataDir);
    if (link) throw new StartError(`DATA_DIR ${dataDir} cannot be used: ${link}`, { cause: error });
    // Another folder would be another store, an empty one.
    const advice = FULL.has(String((error as NodeJS.ErrnoException).code))
      ? 'Make room on it; the data stays where it is.'
      : 'Set DATA_DIR to a folder that this user can write to.';
    throw new StartError(`DATA_DIR ${dataDir} cannot be used: ${reason}. ${advice}`, { cause: error });
  }
}

/**
 * Looks for a link on the way to a folder whose target is missing, as on a disk that is not mounted: another folder would be
 * an empty store there.
 * @returns what is wrong and what to do, in two sentences; null where there is none
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
      return `${folder} is a link to ${target}, which is not there. Mount or make that folder: the data may lie in it.`;
    }
  }
  return dirname(folder) === folder ? null : await findBrokenLink(dirname(folder));
}

/** Folder by folder: `mkdir` with `recursive` never returns from /proc/x, and hides that a file system is read-only. */
async function makeFolders(folder: string): Promise<void> {
  if (await isThere(folder)) return;
  if (dirname(folder) !== folder) await makeFolders(dirname(folder));
  try {
    // Whatever the umask, nobody else may write there; the user of PostgreSQL must be able to enter it.
    await mkdir(folder, { mode: 0o755 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!(await isThere(folder))) throw error;
  }
}

/** Whether there is a folder. @throws the operating system's error where it is something else */
async function isThere(folder: string): Promise<boolean> {
  try {
    if ((await stat(folder)).isDirectory()) return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`${folder} is no folder`), { code: 'EEXIST' });
}
