import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, expect, it } from 'vitest';
import { checkBackups } from '../../../src/cli/doctor/backup-check.js';
import { listBackups } from '../../../src/features/backup/backup-files.js';
import { readLastBackup, tryLockBackups } from '../../../src/features/backup/last-backup-store.js';
import { backupMetrics } from '../../../src/features/backup/metrics.js';
import { ScheduledBackups } from '../../../src/features/backup/scheduled-backups.js';
import { openBackupConnection } from '../../../src/platform/backup/snapshot-store.js';
import { loadConfig } from '../../../src/process/settings/config.js';
import { run, runJson } from '../../cli/run.js';
import { createTestAccount } from '../../support/accounts.js';
import { ManualClock } from '../../support/manual-clock.js';
import { accept } from '../../support/sends.js';
import { suiteApp } from '../../support/suite.js';
import { waitFor } from '../../support/wait-for.js';

const HOUR_MS = 3_600_000;
const root = mkdtempSync(join(tmpdir(), 'heliograph-scheduled-'));
const folder = join(root, 'backups');
const heliograph = suiteApp({ role: 'api' });

afterAll(() => rmSync(root, { recursive: true }));

/** Creates a scheduler with its own clock and counts, as in a separate process. */
function createScheduler(clock = new ManualClock(), keptFiles = 2) {
  const { pool } = heliograph.deps;
  const plan = { everyMs: HOUR_MS, folder, keep: keptFiles };
  const log = pino({ level: 'silent' });
  return new ScheduledBackups({ pool, url: heliograph.databaseUrl, dataDir: root, log, clock, plan });
}

const setLastBackupAge = (hours: number) =>
  heliograph.deps.pool.query(`UPDATE audit_log SET at = at - make_interval(hours => $1) WHERE action = 'backup.take'`, [
    hours,
  ]);
const readSeverity = async () =>
  (await checkBackups(heliograph.deps.pool, { everyMs: HOUR_MS, folder, keep: 2 }))[0]?.severity;

it('a scheduled backup fails and is reported by doctor if the folder is missing, without creating it', async () => {
  expect(await readSeverity()).toBe('warning');
  await expect(createScheduler().takeIfDue()).rejects.toThrow(`There is no folder ${folder} (BACKUP_FOLDER)`);
  expect(existsSync(folder)).toBe(false);
  const runningScheduler = createScheduler();
  runningScheduler.wake();
  runningScheduler.start();
  await waitFor('a failure', () => runningScheduler.failures === 1);
  await runningScheduler.stop();
  expect(await readLastBackup(heliograph.deps.pool)).toBeNull();
});

it('a scheduled backup is taken by one process when due, recorded in the store, and not repeated before its time', async () => {
  mkdirSync(folder);
  const unfinishedFile = 'heliograph-20200101T000000Z.tar.gz.aabbcc.part';
  for (const name of [unfinishedFile, 'notes.txt']) writeFileSync(join(folder, name), 'x');
  const account = await createTestAccount(heliograph.deps);
  await accept(heliograph.deps, account, { to: ['15005550101', '15005550102'] });
  const clock = new ManualClock();
  const backups = await Promise.all([createScheduler(clock).takeIfDue(), createScheduler(clock).takeIfDue()]);
  expect(backups.filter((path) => path !== null)).toHaveLength(1);
  expect(readdirSync(folder).filter((name) => !/^heliograph-\d{8}T\d{6}Z\.tar\.gz$/.test(name))).toEqual(['notes.txt']);
  const lastBackup = await readLastBackup(heliograph.deps.pool);
  expect(join(folder, lastBackup?.file ?? '')).toBe(backups.find((path) => path !== null));
  expect(lastBackup?.ageSeconds).toBeLessThan(3_600);
  expect(await createScheduler().takeIfDue()).toBeNull();
  expect(await readSeverity()).toBe('ok');
  await setLastBackupAge(3);
  expect(await readSeverity()).toBe('warning');
});

it('a scheduled backup is left to the process that holds the lock', async () => {
  const otherClient = await openBackupConnection(heliograph.databaseUrl);
  try {
    expect(await tryLockBackups(otherClient)).toBe(true);
    expect(await createScheduler().takeIfDue()).toBeNull();
  } finally {
    await otherClient.end();
  }
});

it('scheduled backups remove the oldest only once a new one is complete', async () => {
  const clock = new ManualClock();
  const [first] = await listBackups(folder);
  clock.advance(2 * HOUR_MS);
  const abort = new AbortController();
  abort.abort();
  await expect(createScheduler(clock, 1).takeIfDue(abort.signal)).rejects.toThrow(/abort/i);
  expect(await listBackups(folder)).toEqual([first]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  const secondBackup = await createScheduler(clock, 1).takeIfDue();
  expect(await listBackups(folder)).toEqual([secondBackup]);
});

it('scheduled backups report the time of the last one, and failures, as metrics', async () => {
  const plan = { everyMs: HOUR_MS, folder, keep: 2 };
  const readMetrics = async () => {
    const metrics = backupMetrics(heliograph.deps, plan, { failures: 3 });
    return Object.fromEntries(
      await Promise.all(metrics.map(async (metric) => [metric.name, [...(await metric.read())][0]])),
    );
  };
  const values = await readMetrics();
  const timestamp = values.heliograph_backup_last_success_timestamp_seconds.value as number;
  expect(Math.abs(timestamp - Date.now() / 1000)).toBeLessThan(3_600);
  expect(values).toMatchObject({
    heliograph_backup_interval_seconds: { value: 3600 },
    heliograph_backup_failures_total: { value: 3 },
  });
});

it('a scheduled backup is verified by a restore into a temporary store that leaves nothing behind', async () => {
  const settings = { DATABASE_URL: heliograph.databaseUrl, DATA_DIR: root, BACKUP_FOLDER: folder };
  const foldersBefore = readdirSync(tmpdir()).filter((name) => name.startsWith('heliograph-verify-'));
  const [newest] = await listBackups(folder);
  expect(await runJson(settings, 'backup', 'verify')).toMatchObject({
    path: newest,
    messages: 2,
    sums: { unbalanced: '0' },
    unproven: null,
  });
  const failedRun = await run(settings, 'backup', 'verify', join(folder, 'notes.txt'));
  expect(failedRun.code).toBe(1);
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('heliograph-verify-'))).toEqual(foldersBefore);
});

it('scheduled backups require settings that fit together', () => {
  expect(() => loadConfig({ BACKUP_EVERY: '24h' })).toThrow('BACKUP_FOLDER must be set, because BACKUP_EVERY is set');
  for (const invalidInterval of ['24', 'daily', '0h', '32d', '1.5h']) {
    expect(() => loadConfig({ BACKUP_EVERY: invalidInterval, BACKUP_FOLDER: folder })).toThrow(
      /BACKUP_EVERY must be a number of/,
    );
  }
});
