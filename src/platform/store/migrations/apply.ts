import type pg from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../../errors/start-error.js';
import { changeIndex } from './concurrent-index.js';
import { inLockingTransaction, untilLocked } from './contention.js';
import type { MigrationFile } from './migration-files.js';
import { BOOKKEEPING, noteMigration } from './notes.js';

/**
 * While a statement waits for a lock that shuts writers out, every later statement on that table waits behind it. So it
 * waits for no longer than this, lets the others pass, and tries again.
 */
const LOCK_TIMEOUT_MS = 1000;
/** How long a migration is tried. */
const PATIENCE_MS = 120_000;

export interface Applying {
  url: string;
  log: Logger;
  /** Whether the notes are to be made as well. */
  first: boolean;
  /** Unless given, 120,000. */
  patienceMs?: number;
}

/**
 * Applies a migration and notes it: in one transaction, or, of an index that is made or dropped concurrently, so that it
 * can be done again.
 * @returns how long it took, in milliseconds
 * @throws {StartError} when it fails, or when a lock is not to be had
 */
export async function applyMigration(client: pg.Client, migration: MigrationFile, how: Applying): Promise<number> {
  const { log, patienceMs = PATIENCE_MS } = how;
  const { name, concurrently } = migration;
  const start = performance.now();
  const onWait = () => log.warn(`The migration ${name} waits for a lock that others hold; it is tried again`);
  const apply = () =>
    concurrently
      ? changeIndex(client, { ...how, migration, concurrently })
      : applyInTransaction(client, migration, how);
  try {
    await untilLocked(apply, { patienceMs, onWait });
  } catch (cause) {
    throw failure(migration, cause);
  }
  return performance.now() - start;
}

function applyInTransaction(client: pg.Client, migration: MigrationFile, { first }: Applying): Promise<void> {
  return inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    if (first) await client.query(BOOKKEEPING);
    // Without parameters the script is one simple query, whatever semicolons it has in comments and function bodies.
    await client.query(migration.sql);
    await noteMigration(client, migration);
  });
}

function failure({ name, concurrently }: MigrationFile, cause: unknown): StartError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const rest = concurrently
    ? 'The next start drops what is left of the index, and makes it again.'
    : 'It is applied whole or not at all.';
  return new StartError(`The migration ${name} failed: ${reason}. ${rest}`, { cause });
}
