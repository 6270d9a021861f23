import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { cancelUnsent } from '../../messages/cancel/unsent-store.js';
import { restartChangeHistory } from '../../messages/changes/changes-store.js';
import { deleteOrphans } from '../../messages/stored-messages/orphans-store.js';
import { type ArchiveContents, checkArchive, openArchive } from '../../platform/backup/archive-reader.js';
import { expectNoFile, writeArchive } from '../../platform/backup/archive-writer.js';
import type { DumpHead, TableTotal } from '../../platform/backup/dump.js';
import { findDumpMigrations, loadDump } from '../../platform/backup/load-store.js';
import { openBackupConnection, withSnapshot } from '../../platform/backup/snapshot-store.js';
import type { Clock } from '../../platform/clock.js';
import { applyMigrations } from '../../platform/store/migrations/migrate.js';
import { readMigrations } from '../../platform/store/migrations/migration-files.js';
import { DEMO_FILE, restoreDemoFile } from '../demo/keys-file.js';
import { type StoreSums, sumStore } from './sums-store.js';

export interface CopySummary {
  /** Snapshot time (ISO 8601). */
  takenAt: string;
  tables: number;
  rows: number;
  sums: StoreSums;
}

export type OnFilled = (client: Pick<pg.ClientBase, 'query'>, copied: CopySummary) => Promise<void>;

export type OnRows = (table: string, rows: number) => void;

/**
 * Saves a store that may stay in use, together with the `demo.json` in `dataDir` if there is one, then verifies the
 * file.
 * @throws {BackupError} Fails if the file already exists or the store cannot be saved.
 */
export async function takeBackup(options: {
  url: string;
  dataDir: string;
  path: string;
  clock: Clock;
  onRows?: OnRows;
}): Promise<CopySummary & { path: string; bytes: number }> {
  const { url, dataDir, path, clock, onRows } = options;
  await expectNoFile(path);
  const files = new Map<string, Buffer>();
  const demo = await readIfExists(join(dataDir, DEMO_FILE));
  if (demo) files.set(DEMO_FILE, demo);
  const { head, totals } = await withSnapshot({ url, sums: sumStore, clock }, (dump) =>
    writeArchive({ path, dump, files, onRows }),
  );
  return { path, bytes: (await stat(path)).size, ...summarize(head, totals) };
}

/** @throws {BackupError} Fails if the file is damaged, is not a backup, or comes from a later version. */
export async function readBackup(path: string): Promise<ArchiveContents> {
  const contents = await checkArchive(path);
  findDumpMigrations(contents.head, await readMigrations());
  return contents;
}

/**
 * Restores the whole backup or nothing, and migrates the store.
 * @param options.withoutUnsent If true, messages that no carrier had accepted are canceled without refunds.
 * @throws {BackupError} Fails if the store is in use, or is not empty while `replace` is false.
 */
export async function restoreBackup(options: {
  url: string;
  dataDir: string;
  path: string;
  contents: ArchiveContents;
  replace: boolean;
  withoutUnsent: boolean;
  log: Logger;
  onRows?: OnRows;
  onFilled?: OnFilled;
}): Promise<CopySummary & { canceled: number }> {
  const { url, dataDir, path, contents, replace, withoutUnsent, log, onRows, onFilled } = options;
  const result = summarize(contents.head, contents.totals);
  let canceled = 0;
  await loadDump({
    url,
    dump: await openArchive(path),
    sums: sumStore,
    shouldReplace: replace,
    onRows,
    beforeCommit: async (client) => {
      await deleteOrphans(client);
      if (withoutUnsent) canceled = await cancelUnsent(client);
      await onFilled?.(client, result);
    },
  });
  await applyMigrations({ url, log });
  const client = await openBackupConnection(url);
  try {
    await restartChangeHistory(client);
  } finally {
    await client.end();
  }
  const demo = contents.files.get(DEMO_FILE);
  if (demo) await restoreDemoFile(dataDir, demo, { replace });
  return { ...result, canceled };
}

function summarize(head: DumpHead, totals: Record<string, TableTotal>): CopySummary {
  return { ...describeHead(head), rows: Object.values(totals).reduce((sum, { rows }) => sum + rows, 0) };
}

/** Omits the number of rows, which are counted later while they are copied. */
export function describeHead({ takenAt, tables, sums }: DumpHead): Omit<CopySummary, 'rows'> {
  return { takenAt, tables: tables.length, sums: sums as StoreSums };
}

async function readIfExists(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
