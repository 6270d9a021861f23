import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../errors.js';

/** Reads a file; returns null if it does not exist. */
export async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

/**
 * Writes a small file (mode 0600) unless it exists. If two processes do so at once, one wins, and neither ever reads a
 * partial file.
 * @returns the content of the file afterwards
 */
export async function writeOnce(file: string, text: string): Promise<string> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  try {
    await link(draft, file);
    return text;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return await readFile(file, 'utf8');
  } finally {
    await rm(draft, { force: true });
  }
}

/** Creates a folder that everyone may enter, whatever the umask. An existing folder keeps its mode. */
export async function createFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o755 });
  if (first === undefined) return;
  for (let created = folder; created.startsWith(first); created = dirname(created)) await chmod(created, 0o755);
}

/**
 * Creates a folder, completely or not at all, through a staging folder that is always removed. If another process
 * created the folder first, that one stays.
 * @param folder its parent must exist
 * @param make fills the staging folder and returns the folder to move: the staging folder or one inside it
 */
export async function createAtomically(folder: string, staging: string, make: () => Promise<string>): Promise<void> {
  try {
    await rename(await make(), folder);
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Returns whether anything exists at a path, including a broken link. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
