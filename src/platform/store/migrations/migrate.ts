import type pg from 'pg';
import type { Logger } from 'pino';
import { StartError } from '../../errors/start-error.js';
import { SteadyClient } from '../connections/client.js';
import { createPoolerError, isRefusedByPooler, requireSession } from '../connections/pooler.js';
import { requireNotMoved } from '../moved-store.js';
import { applyMigration } from './apply.js';
import { lockMigrations } from './lock.js';
import { buildTransactionalScripts, type MigrationFile, matchesChecksum, readMigrations } from './migration-files.js';
import { CREATE_RECORDS, recordMigration } from './records.js';

export const OLDEST_MAJOR = 15;

export interface MigrateOptions {
  url: string;
  /** Default: DATABASE_URL. */
  setting?: string;
  log: Logger;
  /** Default: this version's migrations. */
  folder?: string;
  /** Whether to accept a database that a later version has migrated. */
  allowNewer?: boolean;
  /** Default: 120,000. */
  patienceMs?: number;
}

interface AppliedMigration {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
}

/**
 * Applies each migration file in one transaction, because Prisma's schema engine can leave a file half applied, which prevents
 * the next start. Applied migrations are recorded in Prisma's format. Several processes can call `applyMigrations`
 * concurrently. Returns the names of the applied migrations. Throws a StartError if the server or the database is unsuitable,
 * or if a migration fails.
 */
export async function applyMigrations(options: MigrateOptions): Promise<string[]> {
  const { url, setting = 'DATABASE_URL', log, folder, allowNewer = false, patienceMs } = options;
  const migrations = await readMigrations(folder);
  const client = new SteadyClient({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', (error) => log.debug({ err: error }, 'The connection for migrations was lost'));
  await connect(client, setting);
  try {
    await requireSession(client, url, setting);
    await requireVersion(client);
    await requireUtf8(client);
    await requireNotMoved(client);
    const appliedBefore = await readApplied(client);
    // An unfinished migration may belong to another process, so wait for the lock.
    if (appliedBefore?.every((migration) => migration.finished_at)) {
      const { pending, unknown } = compareMigrations(migrations, appliedBefore);
      if (unknown.length > 0) acceptNewer(unknown, { allowNewer, log });
      if (pending.length === 0) return [];
    }

    await lockMigrations(client, log);
    // Creating an index can take longer than the operator's default timeouts allow.
    await client.query('SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0');
    const applied = await readApplied(client);
    if (!applied) await requireNoTables(client);
    const { pending, unknown } = compareMigrations(migrations, applied ?? []);
    // A later version may have migrated the database while this process waited for the lock.
    if (unknown.length > 0) acceptNewer(unknown, { allowNewer, log });
    const durations: number[] = [];
    for (const [index, migration] of pending.entries()) {
      durations.push(
        await applyMigration(client, migration, { url, log, shouldCreateRecords: !applied && index === 0, patienceMs }),
      );
    }
    if (!applied) log.info('The tables were created');
    else if (pending.length > 0) log.info(describeApplied(pending, durations));
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

function describeApplied(migrations: readonly MigrationFile[], durations: readonly number[]): string {
  const format = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
  const entries = migrations.map(({ name }, index) => `${name} (${format(durations[index] ?? 0)})`);
  return `The database was migrated in ${format(durations.reduce((sum, ms) => sum + ms, 0))}: ${entries.join(', ')}`;
}

/** Creates the tables in the caller's transaction, which can then also fill them. */
export async function createTables(client: pg.Client, migrations: readonly MigrationFile[]): Promise<void> {
  await client.query(CREATE_RECORDS);
  for (const { migration, sql } of buildTransactionalScripts(migrations)) {
    await client.query(sql);
    await recordMigration(client, migration);
  }
}

export interface MigrationState {
  pending: readonly string[];
  unknown: readonly string[];
}

/** Returns null if the database has no migrations yet. Throws a StartError if a migration was edited or left half applied. */
export async function readMigrationState(client: Pick<pg.Client, 'query'>): Promise<MigrationState | null> {
  const applied = await readApplied(client);
  if (!applied) return null;
  const { pending, unknown } = compareMigrations(await readMigrations(), applied);
  return { pending: pending.map(({ name }) => name), unknown };
}

async function connect(client: pg.Client, setting: string): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    if (isRefusedByPooler(cause)) throw createPoolerError(setting);
    // If a host name has several addresses, the error has an empty message and contains one error per address.
    const reasons = cause instanceof AggregateError ? cause.errors : [cause];
    const reason = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('; ');
    throw new StartError(`Cannot reach the database (DATABASE_URL): ${reason}`, { cause });
  }
}

export async function requireVersion(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  const version = rows[0]?.version ?? '';
  if (Number.parseInt(version, 10) >= OLDEST_MAJOR) return;
  throw new StartError(
    `The database (DATABASE_URL) is PostgreSQL ${version}, but Heliograph needs ${OLDEST_MAJOR} or later.`,
  );
}

/** SQL's `normalize()`, which is used to search names, works only in UTF-8. */
export async function requireUtf8(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>("SELECT current_setting('server_encoding') AS encoding");
  const encoding = rows[0]?.encoding;
  if (encoding === 'UTF8') return;
  throw new StartError(
    `The database (DATABASE_URL) has the encoding ${encoding}, but Heliograph needs UTF8 ` +
      "(CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8').",
  );
}

/** Refuses the database of another program, as `prisma migrate deploy` does (P3005). */
export async function requireNoTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
     ORDER BY relname LIMIT 1`,
  );
  if (!rows[0]) return;
  throw new StartError(
    `The database (DATABASE_URL) belongs to another program: it has a table ${rows[0].name} but no _prisma_migrations. ` +
      'Set DATABASE_URL to an empty database.',
  );
}

/** Returns null if the table of migrations does not exist yet. */
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

function compareMigrations(
  migrations: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): { pending: MigrationFile[]; unknown: string[] } {
  const byName = new Map(applied.map((record) => [record.migration_name, record]));
  const pending: MigrationFile[] = [];
  for (const migration of migrations) {
    const record = byName.get(migration.name);
    byName.delete(migration.name);
    if (!record) pending.push(migration);
    else if (!record.finished_at) {
      throw new StartError(
        `The migration ${migration.name} failed before: ${record.logs ?? 'the reason is unknown'}. Repair the database, ` +
          `then tell Prisma with: prisma migrate resolve --rolled-back ${migration.name}`,
      );
    } else if (!matchesChecksum(migration, record.checksum)) {
      throw new StartError(
        `The migration ${migration.name} was applied to this database with a different text. ` +
          'Applied migrations must never be edited.',
      );
    }
  }
  return { pending, unknown: [...byName.keys()].sort() };
}

function acceptNewer(unknown: readonly string[], { allowNewer, log }: { allowNewer: boolean; log: Logger }): void {
  const finding = `A later version of Heliograph has migrated this database (${unknown.join(', ')})`;
  if (!allowNewer) {
    throw new StartError(
      `${finding}, so this version does not know what was changed. Start the later version, or set ALLOW_NEWER_STORE=true ` +
        'to go back to this one for a while (docs/run/upgrading.md).',
    );
  }
  log.warn(
    `${finding}. This version uses it anyway, because ALLOW_NEWER_STORE is set. Its "heliograph backup" and its scheduled ` +
      'backups refuse such a store: back it up with the later version.',
  );
}
