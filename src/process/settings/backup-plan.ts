import { resolve } from 'node:path';
import type { BackupPlan } from '../../features/backup/scheduled-backups.js';
import { parseInterval } from './setting-formats.js';

/** One without the other would be noticed when a backup is needed. */
export function backupProblems(
  given: Readonly<Record<string, string | undefined>>,
): { setting: string; problem: string }[] {
  if (given.BACKUP_EVERY === undefined || given.BACKUP_FOLDER !== undefined) return [];
  return [{ setting: 'BACKUP_FOLDER', problem: 'must be set, since BACKUP_EVERY is' }];
}

interface BackupConfig {
  backupEvery?: string;
  backupFolder?: string;
  backupKeep: number;
}

/** When backups are taken; null where they are not. */
export function backupPlan({ backupEvery, backupFolder, backupKeep: keep }: BackupConfig): BackupPlan | null {
  const everyMs = backupEvery === undefined ? null : parseInterval(backupEvery);
  if (everyMs === null || backupFolder === undefined) return null;
  return { everyMs, folder: resolve(backupFolder), keep };
}
