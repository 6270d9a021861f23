import type pg from 'pg';
import { readLastBackup } from '../../features/backup/last-backup-store.js';
import type { BackupPlan } from '../../features/backup/scheduled-backups.js';
import { inTime } from './amounts.js';
import { type Finding, ok, warning } from './finding.js';

/** Whether scheduled backups are taken: the last one may be twice as old as the plan says. */
export async function checkBackups(pool: pg.Pool, plan: BackupPlan | null): Promise<Finding[]> {
  const check = 'backups.last';
  if (!plan) return [ok(check, 'No backups are scheduled (BACKUP_EVERY).')];
  const last = await readLastBackup(pool);
  const advice = `See that a process with ROLE=all or ROLE=worker runs with BACKUP_EVERY; its log says why a backup into ${plan.folder} fails.`;
  if (!last) return [warning(check, 'Backups are scheduled, and none was taken yet.', advice)];
  const text = `The last scheduled backup, ${last.file}, was taken ${inTime(last.ageSeconds)} ago.`;
  return [last.ageSeconds * 1000 > 2 * plan.everyMs ? warning(check, text, advice) : ok(check, text)];
}
