import { resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { BackupPlan } from '../../features/backup/scheduled-backups.js';
import { Setting } from './setting.js';
import { parseInterval } from './setting-formats.js';

export const BACKUP_SETTINGS = {
  BACKUP_EVERY: Type.Optional(
    Type.String({
      format: 'interval',
      description:
        'How often a backup is made, e.g. 24h or 30m, by one of the processes that send. Needs BACKUP_FOLDER. Unset: never. See docs/run/backup.md.',
    }),
  ),
  BACKUP_FOLDER: Type.Optional(
    Setting.text(
      'Folder for scheduled backups. It must exist, should be on another disk, and must not be shared with another installation.',
    ),
  ),
  BACKUP_KEEP: Setting.count('How many scheduled backups to keep; older ones are deleted once a new one is complete.', {
    default: 7,
    minimum: 1,
    maximum: 10_000,
  }),
};

/** Finds a missing BACKUP_FOLDER, which would otherwise go unnoticed until a backup is needed. */
export function backupProblems(
  values: Readonly<Record<string, string | undefined>>,
): { setting: string; problem: string }[] {
  if (values.BACKUP_EVERY === undefined || values.BACKUP_FOLDER !== undefined) return [];
  return [{ setting: 'BACKUP_FOLDER', problem: 'must be set, because BACKUP_EVERY is set' }];
}

interface BackupConfig {
  backupEvery?: string;
  backupFolder?: string;
  backupKeep: number;
}

export function backupPlan({ backupEvery, backupFolder, backupKeep: keep }: BackupConfig): BackupPlan | null {
  const everyMs = backupEvery === undefined ? null : parseInterval(backupEvery);
  if (everyMs === null || backupFolder === undefined) return null;
  return { everyMs, folder: resolve(backupFolder), keep };
}
