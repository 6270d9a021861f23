import type pg from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../../errors/start-error.js';
import { changeIndex } from './concurrent-index.js';
import { inLockingTransaction, retryUntilLocked } from './contention.js';
import type { MigrationFile } from './migration-files.js';
import { CREATE_RECORDS, recordMigration } from './records.js';

/** Short wait for a table's lock, because later statements on the table queue behind the waiting migration. */
const LOCK_TIMEOUT_MS = 1000;
const PATIENCE_MS = 120_000;

export interface ApplyOptions {
  url: string;
  log: Logger;
  /** Whether to create Prisma's table of migrations first. */
  shouldCreateRecords: boolean;
  /** Default: 120,000. */
  patienceMs?: number;
}

/** Returns the duration of the migration in milliseconds. Throws a StartError if the migration fails or cannot get a lock. */
export async function applyMigration(
  client: pg.Client,
  migration: MigrationFile,
  options: ApplyOptions,
): Promise<number> {
  const { log, patienceMs = PATIENCE_MS } = options;
  const { name, concurrently } = migration;
  const start = performance.now();
  const onWait = () => log.warn(`The migration ${name} is waiting for a lock; retrying`);
  const apply = () =>
    concurrently
      ? changeIndex(client, { ...options, migration, concurrently })
      : applyInTransaction(client, migration, options);
  try {
    await retryUntilLocked(apply, { patienceMs, onWait });
  } catch (cause) {
    throw toStartError(migration, cause);
  }
  return performance.now() - start;
}

function applyInTransaction(
  client: pg.Client,
  migration: MigrationFile,
  { shouldCreateRecords }: ApplyOptions,
): Promise<void> {
  return inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    if (shouldCreateRecords) await client.query(CREATE_RECORDS);
    // A query without parameters may contain the whole script, including semicolons in comments and functions.
    await client.query(migration.sql);
    await recordMigration(client, migration);
  });
}

function toStartError({ name, concurrently }: MigrationFile, cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const consequence = concurrently
    ? 'The next start drops the unfinished index and creates it again.'
    : 'No part of it was applied.';
  return new StartError(`The migration ${name} failed: ${reason}. ${consequence}`, { cause });
}
