import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { Logger } from 'pino';
import { cancelUnsent } from '../../messages/cancel/unsent-store.js';
import { beginChangesAnew } from '../../messages/changes/changes-store.js';
import { deleteOrphans } from '../../messages/rows/orphans-store.js';
import { type ArchiveContents, checkArchive, openArchive } from '../../platform/backup/archive-reader.js';
import { expectNoFile, writeArchive } from '../../platform/backup/archive-writer.js';
import type { DumpHead, TableTotal } from '../../platform/backup/dump.js';
import { knownMigrations, loadDump } from '../../platform/backup/load-store.js';
import { connectTo, withSnapshot } from '../../platform/backup/snapshot-store.js';
import type { Clock } from '../../platform/clock.js';
import { applyMigrations } from '../../platform/store/migrations/migrate.js';
import { readMigrations } from '../../platform/store/migrations/migration-files.js';
import { DEMO_FILE, restoreDemoFile } from '../demo/keys-file.js';
import { type StoreSums, sumStore } from './sums-store.js';

/** What was copied, and was found to be the same on both sides. */
export interface Copied {
  /** ISO 8601: the moment that it shows. */
  takenAt: string;
  tables: number;
  rows: number;
  sums: StoreSums;
}

/** Whoever fills a store tells of it in the same transaction, such as by a line of the audit log. */
export type OnFilled = (client: Pick<pg.ClientBase, 'query'>, copied: Copied) => Promise<void>;

/** Told again and again while a table is under way. */
export type OnRows = (table: string, rows: number) => void;

/**
 * Saves a store to a file, beside whatever goes on there, and reads the file again.
 * @param options.dataDir its `demo.json`, where there is one, is the only thing outside the store that is saved
 * @throws {BackupError} when the file is there already, or the store cannot be saved
 */
export async function takeBackup(options: {
  url: string;
  dataDir: string;
  path: string;
  clock: Clock;
  onRows?: OnRows;
}): Promise<Copied & { path: string; bytes: number }> {
  const { url, dataDir, path, clock, onRows } = options;
  await expectNoFile(path);
  const files = new Map<string, Buffer>();
  const demo = await readIfThere(join(dataDir, DEMO_FILE));
  if (demo) files.set(DEMO_FILE, demo);
  const { head, totals } = await withSnapshot({ url, sums: sumStore, clock }, (dump) =>
    writeArchive({ path, dump, files, onRows }),
  );
  return { path, bytes: (await stat(path)).size, ...copied(head, totals) };
}

/**
 * Reads a backup whole, before anything is made or changed for it.
 * @throws {BackupError} when it is damaged, is none, or is of a later version
 */
export async function readBackup(path: string): Promise<ArchiveContents> {
  const contents = await checkArchive(path);
  knownMigrations(contents.head, await readMigrations());
  return contents;
}

/**
 * Fills a store with a backup, whole or not at all, and brings it up to this version.
 * @param options.contents what `readBackup` found in the file
 * @param options.withoutUnsent cancels what no carrier had taken at that moment, without a refund
 * @throws {BackupError} when the store is in use, or holds anything and `replace` is not true
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
}): Promise<Copied & { canceled: number }> {
  const { url, dataDir, path, contents, replace, withoutUnsent, log, onRows, onFilled } = options;
  const result = copied(contents.head, contents.totals);
  let canceled = 0;
  await loadDump({
    url,
    dump: await openArchive(path),
    sums: sumStore,
    replace,
    onRows,
    beforeCommit: async (client) => {
      await deleteOrphans(client);
      if (withoutUnsent) canceled = await cancelUnsent(client);
      await onFilled?.(client, result);
    },
  });
  await applyMigrations({ url, log });
  const client = await connectTo(url);
  try {
    await beginChangesAnew(client);
  } finally {
    await client.end();
  }
  const demo = contents.files.get(DEMO_FILE);
  if (demo) await restoreDemoFile(dataDir, demo, { replace });
  return { ...result, canceled };
}

function copied(head: DumpHead, totals: Record<string, TableTotal>): Copied {
  return { ...describeHead(head), rows: Object.values(totals).reduce((sum, { rows }) => sum + rows, 0) };
}

/** What the head of a dump tells of it; rows are counted as they pass. */
export function describeHead({ takenAt, tables, sums }: DumpHead): Omit<Copied, 'rows'> {
  return { takenAt, tables: tables.length, sums: sums as StoreSums };
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
