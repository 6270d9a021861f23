import type pg from 'pg';
import { readLastBackup } from '../../features/backup/last-backup-store.js';
import type { BackupPlan } from '../../features/backup/scheduled-backups.js';
import { formatDuration } from './amounts.js';
import { type Finding, ok, warning } from './finding.js';

/** Warns if the last backup is more than twice as old as the interval. */
export async function checkBackups(pool: pg.Pool, plan: BackupPlan | null): Promise<Finding[]> {
  const check = 'backups.last';
  if (!plan) return [ok(check, 'No backups are scheduled (BACKUP_EVERY).')];
  const last = await readLastBackup(pool);
  const advice = `Make sure that a process with ROLE=all or ROLE=worker runs with BACKUP_EVERY. Its log shows why a backup to ${plan.folder} fails.`;
  if (!last) return [warning(check, 'Backups are scheduled, but none has been made yet.', advice)];
  const text = `The last scheduled backup, ${last.file}, was made ${formatDuration(last.ageSeconds)} ago.`;
  return [last.ageSeconds * 1000 > 2 * plan.everyMs ? warning(check, text, advice) : ok(check, text)];
}
