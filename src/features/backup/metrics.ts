import type pg from 'pg';
import type { Metric } from '../../platform/metrics/metric.js';
import { ShortCache } from '../../platform/short-cache.js';
import { type LastBackup, readLastBackup } from './last-backup-store.js';
import type { BackupPlan, ScheduledBackups } from './scheduled-backups.js';

export function backupMetrics(
  { pool }: { pool: pg.Pool },
  plan: BackupPlan | null,
  backups: Pick<ScheduledBackups, 'failures'> | null,
): Metric[] {
  if (!plan) return [];
  const cache = new ShortCache<LastBackup | null>();
  return [
    {
      name: 'heliograph_backup_last_success_timestamp_seconds',
      help: 'Installation, with BACKUP_EVERY: when the last scheduled backup was completed, in seconds since 1970; 0 if there is none yet',
      type: 'gauge',
      aggregation: 'one',
      read: async () => [{ value: (await cache.get('', () => readLastBackup(pool)))?.at ?? 0 }],
    },
    {
      name: 'heliograph_backup_interval_seconds',
      help: 'How often a backup is scheduled (BACKUP_EVERY)',
      type: 'gauge',
      aggregation: 'one',
      read: () => [{ value: plan.everyMs / 1000 }],
    },
    {
      name: 'heliograph_backup_failures_total',
      help: 'Scheduled backups that failed in this process',
      type: 'counter',
      read: () => [{ value: backups?.failures ?? 0 }],
    },
  ];
}
