import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../errors.js';

/** The text of a file; null when there is no such file. */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

/**
 * Writes a small file (mode 0600) unless it is there: of two processes at the same moment one wins, and no process ever
 * reads half of it.
 * @returns what the file holds afterwards
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

/** Makes a folder that everybody may enter, whatever the umask; one that is there already keeps its mode. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o755 });
  if (first === undefined) return;
  for (let made = folder; made.startsWith(first); made = dirname(made)) await chmod(made, 0o755);
}

/**
 * Makes a folder whole or not at all, by way of a staging folder beside it, which is removed in any case. Where another
 * process made the folder first, that one stays.
 * @param folder its parent exists
 * @param make fills the staging folder, and returns which folder is to be moved into place: it or one within
 */
export async function makeWhole(folder: string, staging: string, make: () => Promise<string>): Promise<void> {
  try {
    await rename(await make(), folder);
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Whether there is something at a path, a broken link included. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
