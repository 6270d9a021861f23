import { resolve } from 'node:path';
import { Type } from '@sinclair/typebox';
import type { BackupPlan } from '../../features/backup/scheduled-backups.js';
import { Setting } from './setting.js';
import { parseInterval } from './setting-formats.js';

/** Backups at set times. */
export const BACKUP_SETTINGS = {
  BACKUP_EVERY: Type.Optional(
    Type.String({
      format: 'interval',
      description:
        'How often a backup is taken, e.g. 24h or 30m, by one process that sends. Needs BACKUP_FOLDER. Unset: never. See docs/backup.md.',
    }),
  ),
  BACKUP_FOLDER: Type.Optional(
    Setting.text('Folder of scheduled backups, which must be there; best on another disk. Of this installation alone.'),
  ),
  BACKUP_KEEP: Setting.count('Scheduled backups that stay; older ones are removed once a new one is whole.', {
    default: 7,
    minimum: 1,
    maximum: 10_000,
  }),
};

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
