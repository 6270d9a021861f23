import pg from 'pg';
import type { Logger } from '../logger.js';
import { StartError } from '../start-error.js';
import {
  MIGRATIONS_FOLDER,
  type MigrationFile,
  readMigrationLock,
  readMigrations,
  readSchema,
} from './migration-files.js';

/** Only one process migrates a database at a time. Not Prisma's own lock (72707369), which the engine may take. */
const LOCK = 0x68656c69;
const LOCK_WAIT = '120s';

const NO_FILTER = { externalTables: [], externalEnums: [] };

interface AppliedMigration {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
  logs: string | null;
}

/**
 * Brings a database up to the migrations of this version, with Prisma's own engine and bookkeeping, so that
 * `prisma migrate deploy` may be used as well. Costs one query where nothing is to be done. Safe to call from several
 * processes at once.
 * @returns the names of the migrations that it applied
 * @throws when an applied migration was edited since, when one failed before, or when one fails now
 */
export async function applyMigrations({ url, log }: { url: string; log: Logger }): Promise<string[]> {
  const migrations = await readMigrations();
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  client.on('error', (error) => log.debug({ err: error }, 'The connection of the migrations was lost'));
  await connect(client);
  try {
    const known = await readApplied(client);
    // A row that is not finished may be another process's work, which the lock waits for.
    if (known.every((each) => each.finished_at) && findPending(migrations, known, log).length === 0) return [];

    await client.query(`SET lock_timeout = '${LOCK_WAIT}'`);
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const pending = findPending(migrations, await readApplied(client), log);
    if (pending.length === 0) return [];
    return await applyAll({ url, log, migrations });
  } finally {
    await client.end();
  }
}

async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    // A name with several addresses fails once for each, under an empty message.
    const reasons = cause instanceof AggregateError ? cause.errors : [cause];
    const reason = reasons.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
    throw new StartError(`The database (DATABASE_URL) cannot be reached: ${reason}`, { cause });
  }
}

async function applyAll(options: { url: string; log: Logger; migrations: MigrationFile[] }): Promise<string[]> {
  const { url, log, migrations } = options;
  const { withSchemaEngine } = await import('./schema-engine.js');
  const lockfile = await readMigrationLock();
  const onLog = (line: string) => log.debug({ engine: line }, 'Schema engine');
  return await withSchemaEngine({ url, schema: await readSchema(), onLog }, async (engine) => {
    const { appliedMigrationNames } = await engine.applyMigrations({
      migrationsList: {
        baseDir: MIGRATIONS_FOLDER,
        lockfile,
        shadowDbInitScript: '',
        migrationDirectories: migrations.map(({ name, sql }) => ({
          path: name,
          migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
        })),
      },
      filters: NO_FILTER,
    });
    log.info(`The database was migrated: ${appliedMigrationNames.join(', ')}`);
    return appliedMigrationNames;
  });
}

/** What Prisma noted, without the attempts that were rolled back. */
async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<{ present: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS present",
  );
  if (!rows[0]?.present) return [];
  const applied = await client.query<AppliedMigration>(
    'SELECT migration_name, checksum, finished_at, logs FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  return applied.rows;
}

function findPending(
  migrations: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
  log: Logger,
): MigrationFile[] {
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
    } else if (done.checksum !== migration.checksum) {
      throw new StartError(
        `The migration ${migration.name} was applied to this database with another text than it has now: ` +
          'an applied migration must never be edited.',
      );
    }
  }
  if (byName.size > 0) {
    log.warn(`A later version has migrated this database (${[...byName.keys()].join(', ')})`);
  }
  return pending;
}

/**
 * Compares a database with prisma/schema.prisma.
 * @returns the SQL that would bring the database to the schema; null when they agree
 */
export async function diffSchema({ url }: { url: string }): Promise<string | null> {
  const { withSchemaEngine } = await import('./schema-engine.js');
  const schema = await readSchema();
  return await withSchemaEngine({ url, schema, onLog: () => undefined }, async (engine) => {
    const { exitCode, stdout } = await engine.diff({
      from: { tag: 'schemaDatasource', files: [schema], configDir: MIGRATIONS_FOLDER },
      to: { tag: 'schemaDatamodel', files: [schema] },
      script: true,
      exitCode: true,
      filters: NO_FILTER,
    });
    return exitCode === 0 ? null : (stdout ?? '');
  });
}
