import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const BACKUP_NAME = /^heliograph-\d{8}T\d{6}Z\.tar\.gz$/;
const DRAFT_NAME = /^heliograph-\d{8}T\d{6}Z\.tar\.gz\.[0-9a-f]+\.part$/;

/** Names sort by time. */
export function toBackupFileName(takenAt: Date): string {
  return `heliograph-${takenAt.toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '')}.tar.gz`;
}

/** Oldest first. Ignores other files. */
export async function listBackups(folder: string): Promise<string[]> {
  return (await readdir(folder))
    .filter((name) => BACKUP_NAME.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** @returns paths of removed files */
export async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const oldBackups = (await listBackups(folder)).slice(0, -keep);
  for (const path of oldBackups) await rm(path, { force: true });
  return oldBackups;
}

/** The caller must hold the backup lock, so that no other process is writing a draft. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (DRAFT_NAME.test(name)) await rm(join(folder, name), { force: true });
}
