import { randomBytes } from 'node:crypto';
import { chmod, link, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../errors.js';

export async function readIfExists(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

/**
 * Creates the file atomically, so that concurrent processes never read part of its text. Returns the file's content, which
 * another process may have written first.
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

/** Gives new folders mode 755 regardless of the umask, and keeps the mode of existing folders. */
export async function createFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o755 });
  if (first === undefined) return;
  for (let created = folder; created.startsWith(first); created = dirname(created)) await chmod(created, 0o755);
}

/**
 * Fills a staging folder and renames it, unless another process has created the final folder first. `createContents` returns
 * the folder to rename: `staging` or a folder inside it.
 * The parent of `folder` must exist.
 */
export async function createAtomically(
  folder: string,
  staging: string,
  createContents: () => Promise<string>,
): Promise<void> {
  try {
    await rename(await createContents(), folder);
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'ENOTEMPTY')) throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Also returns true for a broken link. */
export async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}
