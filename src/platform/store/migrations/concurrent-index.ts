import type pg from 'pg';
import type { Logger } from 'pino';
import { SteadyClient } from '../connections/client.js';
import type { ConcurrentIndex, MigrationFile } from './migration-files.js';
import { createPartitionedIndex, dropPartitionedIndex, isPartitioned } from './partitioned-index.js';
import { recordMigration } from './records.js';

const REPORT_INTERVAL_MS = 5000;

interface IndexChange {
  url: string;
  log: Logger;
  migration: MigrationFile;
  concurrently: ConcurrentIndex;
}

/** Drops an invalid index that a killed process has left, and keeps a finished index. */
export async function changeIndex(
  client: pg.Client,
  { url, log, migration, concurrently }: IndexChange,
): Promise<void> {
  const { action, index } = concurrently;
  const hasPartitions = await isPartitioned(client, concurrently);
  if (action === 'create' && !hasPartitions && (await readIndexState(client, index)) === 'invalid') {
    log.warn(`The index ${index} was left unfinished; creating it again`);
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
  }
  const watch = action === 'create' ? watchProgress(client, { url, log, index }) : null;
  try {
    // The migration must be a single statement, because PostgreSQL would run several statements in one transaction.
    if (!hasPartitions) await client.query(migration.sql);
    else if (action === 'create') await createPartitionedIndex(client, migration, concurrently);
    else await dropPartitionedIndex(client, concurrently);
  } finally {
    await watch?.stop();
  }
  await recordMigration(client, migration);
}

async function readIndexState(client: pg.Client, index: string): Promise<'valid' | 'invalid' | null> {
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1))',
    [index],
  );
  if (!rows[0]) return null;
  return rows[0].valid ? 'valid' : 'invalid';
}

export interface IndexProgress {
  phase: string;
  blocks_done: string;
  blocks_total: string;
  tuples_done: string;
  tuples_total: string;
  /** ID of the PostgreSQL process that the index creation is waiting for. */
  locker: number | null;
}

export function formatProgress(index: string, progress: IndexProgress): string {
  const { phase, locker } = progress;
  const isWaiting = phase.startsWith('waiting') && locker;
  if (isWaiting) return `Creating the index ${index}: ${phase}, for the transaction of PostgreSQL process ${locker}`;
  const [doneCount, totalCount] = [
    [Number(progress.blocks_done), Number(progress.blocks_total)],
    [Number(progress.tuples_done), Number(progress.tuples_total)],
  ].find(([, count = 0]) => count > 0) ?? [0, 0];
  const share = totalCount ? `, ${Math.floor((100 * (doneCount ?? 0)) / totalCount)} %` : '';
  return `Creating the index ${index}: ${phase}${share}`;
}

function watchProgress(client: pg.Client, { url, log, index }: { url: string; log: Logger; index: string }) {
  const { processID } = client as unknown as { processID: number };
  let watcher: pg.Client | null = null;
  let lastReport = Promise.resolve();
  const report = async () => {
    if (!watcher) {
      watcher = new SteadyClient({ connectionString: url, connectionTimeoutMillis: REPORT_INTERVAL_MS });
      await watcher.connect();
    }
    const { rows } = await watcher.query<IndexProgress>(
      `SELECT phase, blocks_done, blocks_total, tuples_done, tuples_total, NULLIF(current_locker_pid, 0)::int AS locker
       FROM pg_stat_progress_create_index WHERE pid = $1`,
      [processID],
    );
    if (rows[0]) log.info(formatProgress(index, rows[0]));
  };
  const timer = setInterval(() => {
    lastReport = lastReport.then(report).catch(() => undefined);
  }, REPORT_INTERVAL_MS);
  return {
    async stop() {
      clearInterval(timer);
      await lastReport;
      await watcher?.end().catch(() => undefined);
    },
  };
}
