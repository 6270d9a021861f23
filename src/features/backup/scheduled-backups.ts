import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { audit } from '../../accounts/audit/audit-log.js';
import { BackgroundWork } from '../../platform/background/background-work.js';
import { backoffMs } from '../../platform/background/backoff.js';
import { BackupError } from '../../platform/backup/dump.js';
import { connectTo } from '../../platform/backup/snapshot-store.js';
import type { Clock } from '../../platform/clock.js';
import { takeBackup } from './backup.js';
import { backupFileName, removeDrafts, removeOldBackups } from './backup-files.js';
import { BACKUP_TAKEN, lockBackups, readLastBackup } from './last-backup-store.js';

const LOOK_EVERY_MS = 60_000;
const RETRY = { firstMs: 60_000, longestMs: 3_600_000 };

/** When backups are taken, where they go, and how many stay. */
export interface BackupPlan {
  everyMs: number;
  folder: string;
  /** At least 1. */
  keep: number;
}

export interface ScheduledBackupsOptions {
  pool: pg.Pool;
  /** Of the store: a backup reads it by connections of its own, two while it runs. */
  url: string;
  dataDir: string;
  log: Logger;
  clock: Clock;
  plan: BackupPlan;
}

/**
 * Takes a backup whenever the last one is older than the plan says. Any number of processes may run it: the one that has the
 * lock of PostgreSQL takes it. When the last one was is in the store, so a restart puts nothing off.
 */
export class ScheduledBackups extends BackgroundWork<ScheduledBackupsOptions> {
  /** Backups that failed since the process started. */
  failures = 0;
  /** Of them in a row. */
  #failed = 0;

  constructor(options: ScheduledBackupsOptions) {
    super(options, { everyMs: LOOK_EVERY_MS, failure: 'it could not be found out whether a backup is due' });
  }

  override start(): void {
    super.start(LOOK_EVERY_MS);
  }

  protected override async look(signal: AbortSignal): Promise<number> {
    const { log, plan } = this.options;
    const restMs = await this.#untilDue();
    if (restMs > 0) return Math.min(restMs, LOOK_EVERY_MS);
    try {
      await this.takeOne(signal);
      this.#failed = 0;
      return LOOK_EVERY_MS;
    } catch (error) {
      if (signal.aborted) return LOOK_EVERY_MS;
      this.failures += 1;
      this.#failed += 1;
      const againMs = Math.min(plan.everyMs, backoffMs(this.#failed, RETRY));
      log.error({ err: error, folder: plan.folder, againInSeconds: againMs / 1000 }, 'a scheduled backup failed');
      return againMs;
    }
  }

  /**
   * Takes a backup where one is due and no other process is at it, then removes those that are too many.
   * @param signal gives up the one under way
   * @returns its path; null where there was nothing to do
   */
  async takeOne(signal?: AbortSignal): Promise<string | null> {
    const { url, dataDir, pool, log, clock, plan } = this.options;
    // Its end, however it comes, gives the lock back.
    const guard = await connectTo(url);
    try {
      // The other process may have done it between this one's look and its lock.
      if (!(await lockBackups(guard)) || (await this.#untilDue()) > 0) return null;
      await expectFolder(plan.folder);
      await removeDrafts(plan.folder);
      const path = join(plan.folder, backupFileName(clock.now()));
      const began = performance.now();
      const { rows, bytes, takenAt } = await takeBackup({
        url,
        dataDir,
        path,
        clock,
        onRows: () => signal?.throwIfAborted(),
      });
      await audit(pool, {
        actor: { kind: 'system', name: 'scheduled backup' },
        accountId: null,
        action: BACKUP_TAKEN,
        subject: basename(path),
        after: { takenAt, rows, bytes },
      });
      const removed = (await removeOldBackups(plan.folder, plan.keep)).map((each) => basename(each));
      const seconds = Math.round(performance.now() - began) / 1000;
      log.info({ path, rows, bytes, seconds, removed }, 'a scheduled backup was taken, and read again');
      return path;
    } finally {
      await guard.end();
    }
  }

  /** Milliseconds; 0 or less when one is due. */
  async #untilDue(): Promise<number> {
    const { pool, plan } = this.options;
    const last = await readLastBackup(pool);
    return last === null ? 0 : plan.everyMs - last.ageSeconds * 1000;
  }
}

/** It is not made: where a disk is not mounted, the backup would lie on the disk that it is to outlive. */
async function expectFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory())
    throw new BackupError(`There is no folder ${folder} (BACKUP_FOLDER): make it, or mount it.`);
}
