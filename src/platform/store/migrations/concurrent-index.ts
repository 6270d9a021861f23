import type pg from 'pg';
import type { Logger } from 'pino';
import { SteadyClient } from '../connections/client.js';
import { dropDividedIndex, isDivided, makeDividedIndex } from './divided-index.js';
import type { ConcurrentIndex, MigrationFile } from './migration-files.js';
import { noteMigration } from './notes.js';

const SAY_EVERY_MS = 5000;

interface Change {
  url: string;
  log: Logger;
  migration: MigrationFile;
  concurrently: ConcurrentIndex;
}

/**
 * Makes or drops an index while the table is read and written, and notes the migration. It is not one transaction: killed
 * in between, it leaves an invalid index, which the next one drops, or a finished one, which the next one keeps.
 */
export async function changeIndex(client: pg.Client, { url, log, migration, concurrently }: Change): Promise<void> {
  const { action, index } = concurrently;
  const divided = await isDivided(client, concurrently);
  if (action === 'create' && !divided && (await stateOf(client, index)) === 'invalid') {
    log.warn(`The index ${index} was left unfinished; it is made again`);
    await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${index}"`);
  }
  const watch = action === 'create' ? watchProgress(client, { url, log, index }) : null;
  try {
    // One statement, and nothing else: PostgreSQL runs a script of several in a transaction.
    if (!divided) await client.query(migration.sql);
    else if (action === 'create') await makeDividedIndex(client, migration, concurrently);
    else await dropDividedIndex(client, concurrently);
  } finally {
    await watch?.stop();
  }
  await noteMigration(client, migration);
}

async function stateOf(client: pg.Client, index: string): Promise<'valid' | 'invalid' | null> {
  const { rows } = await client.query<{ valid: boolean }>(
    'SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1))',
    [index],
  );
  if (!rows[0]) return null;
  return rows[0].valid ? 'valid' : 'invalid';
}

/** What PostgreSQL tells of an index that it makes. */
export interface IndexProgress {
  phase: string;
  blocks_done: string;
  blocks_total: string;
  tuples_done: string;
  tuples_total: string;
  /** The process whose transaction is waited for, if one is. */
  locker: number | null;
}

/** One line for operators. */
export function sayProgress(index: string, progress: IndexProgress): string {
  const { phase, locker } = progress;
  const waiting = phase.startsWith('waiting') && locker;
  if (waiting) return `Making the index ${index}: ${phase}, for the transaction of process ${locker} of PostgreSQL`;
  const [done, total] = [
    [Number(progress.blocks_done), Number(progress.blocks_total)],
    [Number(progress.tuples_done), Number(progress.tuples_total)],
  ].find(([, all = 0]) => all > 0) ?? [0, 0];
  const share = total ? `, ${Math.floor((100 * (done ?? 0)) / total)} %` : '';
  return `Making the index ${index}: ${phase}${share}`;
}

/** Says every five seconds how far the statement of a connection is, which asks over another one. */
function watchProgress(client: pg.Client, { url, log, index }: { url: string; log: Logger; index: string }) {
  const { processID } = client as unknown as { processID: number };
  let watcher: pg.Client | null = null;
  let last = Promise.resolve();
  const look = async () => {
    if (!watcher) {
      watcher = new SteadyClient({ connectionString: url, connectionTimeoutMillis: SAY_EVERY_MS });
      await watcher.connect();
    }
    const { rows } = await watcher.query<IndexProgress>(
      `SELECT phase, blocks_done, blocks_total, tuples_done, tuples_total, NULLIF(current_locker_pid, 0)::int AS locker
       FROM pg_stat_progress_create_index WHERE pid = $1`,
      [processID],
    );
    if (rows[0]) log.info(sayProgress(index, rows[0]));
  };
  const timer = setInterval(() => {
    // Where no second connection is to be had, nothing is said, and the index is made all the same.
    last = last.then(look).catch(() => undefined);
  }, SAY_EVERY_MS);
  return {
    async stop() {
      clearInterval(timer);
      await last;
      await watcher?.end().catch(() => undefined);
    },
  };
}
