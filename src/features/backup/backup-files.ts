import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^heliograph-\d{8}T\d{6}Z\.tar\.gz$/;
const DRAFT = /^heliograph-\d{8}T\d{6}Z\.tar\.gz\.[0-9a-f]+\.part$/;

/** What a scheduled backup of a moment is called: the names sort by time. */
export function backupFileName(at: Date): string {
  return `heliograph-${at.toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}.tar.gz`;
}

/** Paths of the scheduled backups in a folder, the oldest first. Other files are not looked at. */
export async function listBackups(folder: string): Promise<string[]> {
  return (await readdir(folder))
    .filter((name) => NAME.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/**
 * Removes all but the newest backups.
 * @returns the names of those that it removed
 */
export async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = (await listBackups(folder)).slice(0, -keep);
  for (const path of old) await rm(path, { force: true });
  return old;
}

/** Removes what a process that was killed had begun. Only who holds the lock of backups may: nobody else writes one then. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (DRAFT.test(name)) await rm(join(folder, name), { force: true });
}
