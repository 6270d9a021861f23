import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { writeAuditEntry } from '../../accounts/audit/audit-log.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { backoffMs } from '../../platform/background/backoff.js';
import { BackupError } from '../../platform/backup/dump.js';
import { openBackupConnection } from '../../platform/backup/snapshot-store.js';
import type { Clock } from '../../platform/clock.js';
import { takeBackup } from './backup.js';
import { removeDrafts, removeOldBackups, toBackupFileName } from './backup-files.js';
import { BACKUP_ACTION, readLastBackup, tryLockBackups } from './last-backup-store.js';

const CHECK_INTERVAL_MS = 60_000;
const RETRY = { firstMs: 60_000, longestMs: 3_600_000 };

export interface BackupPlan {
  everyMs: number;
  folder: string;
  /** At least 1. */
  keep: number;
}

export interface ScheduledBackupsOptions {
  pool: pg.Pool;
  /** URL of the store, to which each backup opens two connections. */
  url: string;
  dataDir: string;
  log: Logger;
  clock: Clock;
  plan: BackupPlan;
}

/** Several processes may schedule backups, because a PostgreSQL lock decides which process takes a backup. */
export class ScheduledBackups extends BackgroundWork<ScheduledBackupsOptions> {
  /** Since the process started. */
  failures = 0;
  #failuresInRow = 0;

  constructor(options: ScheduledBackupsOptions) {
    super(options, { everyMs: CHECK_INTERVAL_MS, failure: 'could not check whether a backup is due' });
  }

  override start(): void {
    super.start(CHECK_INTERVAL_MS);
  }

  protected override async poll(signal: AbortSignal): Promise<number> {
    const { log, plan } = this.options;
    const waitMs = await this.#msUntilDue();
    if (waitMs > 0) return Math.min(waitMs, CHECK_INTERVAL_MS);
    try {
      await this.takeIfDue(signal);
      this.#failuresInRow = 0;
      return CHECK_INTERVAL_MS;
    } catch (error) {
      if (signal.aborted) return CHECK_INTERVAL_MS;
      this.failures += 1;
      this.#failuresInRow += 1;
      const retryMs = Math.min(plan.everyMs, backoffMs(this.#failuresInRow, RETRY));
      log.error({ err: error, folder: plan.folder, againInSeconds: retryMs / 1000 }, 'a scheduled backup failed');
      return retryMs;
    }
  }

  /** Returns the path of the backup, or null if none was due or another process is taking it. */
  async takeIfDue(signal?: AbortSignal): Promise<string | null> {
    const { url, dataDir, pool, log, clock, plan } = this.options;
    const lockConnection = await openBackupConnection(url);
    try {
      // The time is checked again, because another process may have taken the backup before this process got the lock.
      if (!(await tryLockBackups(lockConnection)) || (await this.#msUntilDue()) > 0) return null;
      await requireFolder(plan.folder);
      await removeDrafts(plan.folder);
      const path = join(plan.folder, toBackupFileName(clock.now()));
      const startedAt = performance.now();
      const { rows, bytes, takenAt } = await takeBackup({
        url,
        dataDir,
        path,
        clock,
        onRows: () => signal?.throwIfAborted(),
      });
      await writeAuditEntry(pool, {
        actor: { kind: 'system', name: 'scheduled backup' },
        accountId: null,
        action: BACKUP_ACTION,
        subject: basename(path),
        after: { takenAt, rows, bytes },
      });
      const removed = (await removeOldBackups(plan.folder, plan.keep)).map((removedPath) => basename(removedPath));
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      log.info({ path, rows, bytes, seconds, removed }, 'a scheduled backup was taken and verified');
      return path;
    } finally {
      await lockConnection.end();
    }
  }

  /** Returns zero or less if a backup is due. */
  async #msUntilDue(): Promise<number> {
    const { pool, plan } = this.options;
    const last = await readLastBackup(pool);
    return last === null ? 0 : plan.everyMs - last.ageSeconds * 1000;
  }
}

/**
 * A missing folder is not created, because its disk may not be mounted and the backup would be written to the store's
 * own disk.
 */
async function requireFolder(folder: string): Promise<void> {
  const stats = await stat(folder).catch(() => null);
  if (!stats?.isDirectory()) throw new BackupError(`There is no folder ${folder} (BACKUP_FOLDER). Create or mount it.`);
}
