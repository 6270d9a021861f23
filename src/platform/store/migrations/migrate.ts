import type pg from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../../errors/start-error.js';
import { SteadyClient } from '../connections/client.js';
import { expectNotMoved } from '../moved-store.js';
import { expectSession, isRefusedByPooler, noSession } from '../reaching/pooler.js';
import { applyMigration } from './apply.js';
import { lockMigrations } from './lock.js';
import { isChecksumOf, type MigrationFile, readMigrations, scriptsForOneTransaction } from './migration-files.js';
import { BOOKKEEPING, noteMigration } from './notes.js';

export const OLDEST_MAJOR = 15;

export interface MigrateOptions {
  url: string;
  /** The setting that the URL is of, for what is told of it; DATABASE_URL unless given. */
  setting?: string;
  log: Logger;
  /** Holds a folder for each migration; those of this version unless given. */
  folder?: string;
  /** Takes a database that a later version has migrated. */
  allowNewer?: boolean;
  /** How long a lock is waited for that others hold on a table, in milliseconds; 120,000 unless given. */
  patienceMs?: number;
}

interface AppliedMigration {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
}

/**
 * Brings a database up to the migrations of this version: each reviewed file once, in the order of the names.
 *
 * Each file and its note in `_prisma_migrations` are one transaction. A process may be killed at any moment: PostgreSQL
 * rolls back what it had begun, and the next start applies the file again. A file that is one CREATE or DROP INDEX
 * CONCURRENTLY goes without a transaction, so that the table is written to meanwhile; what a kill leaves of it is mended by
 * the next start. Prisma's schema engine, in contrast, leaves a file half applied; such a note of Prisma's stops the start
 * until an operator has looked.
 *
 * The notes have Prisma's form, so that `prisma migrate deploy` may go on where this stopped, and the other way round.
 * Costs two small queries where nothing is to be done. Safe to call from several processes at once.
 * @returns the names of the migrations that it applied
 * @throws {StartError} when a pooler that keeps no sessions is in between, when the database is older than PostgreSQL 15 or not in UTF-8, when a later version has migrated it,
 *   when the store was moved away, when an applied migration was edited since, when one was left half applied by Prisma, when one fails now, or when the
 *   database is another program's
 */
export async function applyMigrations(options: MigrateOptions): Promise<string[]> {
  const { url, setting = 'DATABASE_URL', log, folder, allowNewer = false, patienceMs } = options;
  const migrations = await readMigrations(folder);
  const client = new SteadyClient({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', (error) => log.debug({ err: error }, 'The connection of the migrations was lost'));
  await connect(client, setting);
  try {
    await expectSession(client, url, setting);
    await expectVersion(client);
    await expectUtf8(client);
    await expectNotMoved(client);
    const known = await readApplied(client);
    // A row that is not finished may be another process's work, which the lock waits for.
    if (known?.every((each) => each.finished_at)) {
      const { pending, unknown } = compare(migrations, known);
      if (unknown.length > 0) acceptNewer(unknown, { allowNewer, log });
      if (pending.length === 0) return [];
    }

    await lockMigrations(client, log);
    // However short an operator lets statements and waits be by default, an index takes its time.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    const applied = await readApplied(client);
    if (!applied) await expectNoTables(client);
    const { pending, unknown } = compare(migrations, applied ?? []);
    // A later version may have come first while the lock was waited for.
    if (unknown.length > 0) acceptNewer(unknown, { allowNewer, log });
    const took: number[] = [];
    for (const [index, migration] of pending.entries()) {
      took.push(await applyMigration(client, migration, { url, log, first: !applied && index === 0, patienceMs }));
    }
    if (!applied) log.info('The tables were made');
    else if (pending.length > 0) log.info(sayWhatWasDone(pending, took));
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

function sayWhatWasDone(migrations: readonly MigrationFile[], took: readonly number[]): string {
  const said = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
  const each = migrations.map(({ name }, index) => `${name} (${said(took[index] ?? 0)})`);
  return `The database was migrated in ${said(took.reduce((sum, ms) => sum + ms, 0))}: ${each.join(', ')}`;
}

/** Creates the tables of these migrations in the caller's transaction, which can fill them too. The store must be empty. */
export async function makeTables(client: pg.Client, migrations: readonly MigrationFile[]): Promise<void> {
  await client.query(BOOKKEEPING);
  for (const { migration, sql } of scriptsForOneTransaction(migrations)) {
    await client.query(sql);
    await noteMigration(client, migration);
  }
}

/** What is to be done to a database before this version can use it. */
export interface MigrationState {
  /** Applied at the next start. */
  pending: readonly string[];
  /** Of a later version. */
  unknown: readonly string[];
}

/**
 * Compares a database with the migrations of this version, and changes nothing.
 * @returns null when there are no tables yet
 * @throws {StartError} when a migration was edited since it was applied, or was left half applied
 */
export async function readMigrationState(client: Pick<pg.Client, 'query'>): Promise<MigrationState | null> {
  const applied = await readApplied(client);
  if (!applied) return null;
  const { pending, unknown } = compare(await readMigrations(), applied);
  return { pending: pending.map(({ name }) => name), unknown };
}

async function connect(client: pg.Client, setting: string): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    if (isRefusedByPooler(cause)) throw noSession(setting);
    // A name with several addresses fails once for each, under an empty message.
    const reasons = cause instanceof AggregateError ? cause.errors : [cause];
    const reason = reasons.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
    throw new StartError(`The database (DATABASE_URL) cannot be reached: ${reason}`, { cause });
  }
}

/** Statements use what PostgreSQL 15 brought. Exported for a test, which has no older one. */
export async function expectVersion(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  const version = rows[0]?.version ?? '';
  if (Number.parseInt(version, 10) >= OLDEST_MAJOR) return;
  throw new StartError(
    `The database (DATABASE_URL) is PostgreSQL ${version}, and Heliograph needs ${OLDEST_MAJOR} or later.`,
  );
}

/** The texts of messages are Unicode, and `normalize()`, by which names are found, knows no other encoding. */
export async function expectUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  const encoding = rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  throw new StartError(
    `The database (DATABASE_URL) has the encoding ${encoding}, and Heliograph needs one with UTF8 ` +
      "(CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8').",
  );
}

/** A database that another program uses is left alone, as `prisma migrate deploy` leaves it (P3005). */
export async function expectNoTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
     ORDER BY relname LIMIT 1`,
  );
  if (!rows[0]) return;
  throw new StartError(
    `The database (DATABASE_URL) is not empty, and not Heliograph's: it has a table ${rows[0].name} and no ` +
      '_prisma_migrations. Set DATABASE_URL to an empty database.',
  );
}

/** What Prisma noted, without the attempts that were rolled back; null when it has noted nothing yet. */
async function readApplied(client: Pick<pg.Client, 'query'>): Promise<AppliedMigration[] | null> {
  const { rows } = await client.query<{ present: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present",
  );
  if (!rows[0]?.present) return null;
  const applied = await client.query<AppliedMigration>(
    'SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  return applied.rows;
}

function compare(
  migrations: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): { pending: MigrationFile[]; unknown: string[] } {
  const byName = new Map(applied.map((each) => [each.migration_name, each]));
  const pending: MigrationFile[] = [];
  for (const migration of migrations) {
    const done = byName.get(migration.name);
    byName.delete(migration.name);
    if (!done) pending.push(migration);
    else if (!done.finished_at) {
      throw new StartError(
        `The migration ${migration.name} failed before: ${done.logs ?? 'no reason is known'}. Repair the database, ` +
          `then tell Prisma with: prisma migrate resolve --rolled-back ${migration.name}`,
      );
    } else if (!isChecksumOf(migration, done.checksum)) {
      throw new StartError(
        `The migration ${migration.name} was applied to this database with another text than it has now: ` +
          'an applied migration must never be edited.',
      );
    }
  }
  return { pending, unknown: [...byName.keys()].sort() };
}

/** @throws {StartError} unless the operator takes it */
function acceptNewer(unknown: readonly string[], { allowNewer, log }: { allowNewer: boolean; log: Logger }): void {
  const said = `A later version of Heliograph has migrated this database (${unknown.join(', ')})`;
  if (!allowNewer) {
    throw new StartError(
      `${said}, and this one does not know what it changed. Start the later one, or set ALLOW_NEWER_STORE=true to go ` +
        'back to this one for a while (docs/upgrading.md).',
    );
  }
  log.warn(
    `${said}; it is used all the same, because ALLOW_NEWER_STORE is set. "heliograph backup" of this version refuses such a ` +
      'store, and so do scheduled backups: back it up with the later version.',
  );
}
