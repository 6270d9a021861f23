import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { SERVER_NAME } from '../store/connections/connection-name.js';
import { DETACHED } from '../store/detached.js';
import { lockMigrations } from '../store/migrations/lock.js';
import { createTables, requireNoTables, requireUtf8, requireVersion } from '../store/migrations/migrate.js';
import { type MigrationFile, matchesChecksum, readMigrations } from '../store/migrations/migration-files.js';
import { BackupError, type Chunk, type Dump, type DumpHead, DumpTally, type ReadAggregates } from './dump.js';
import { listOwnObjects, type OwnObjects } from './own-objects.js';
import { beginCopyTransaction, openBackupConnection, quoteNames } from './snapshot-store.js';

export interface LoadOptions {
  url: string;
  dump: Dump;
  sums: ReadAggregates;
  /**
   * Whether to delete existing Heliograph data. If false instead of undefined, the error for a store with rows suggests
   * `--replace`.
   */
  shouldReplace?: boolean;
  folder?: string;
  onRows?(table: string, rows: number): void;
  /** If `beforeCommit` throws, the store stays unchanged. */
  beforeCommit?(client: Pick<pg.ClientBase, 'query'>): Promise<void>;
  /** Called directly after the commit, before any further step can fail. */
  onCommitted?(): void;
}

/**
 * Loads the whole dump in one transaction. The caller must then apply the migrations that are newer than the dump. Throws a
 * BackupError if a later version wrote the dump, or if the store is not empty or is in use.
 */
export async function loadDump(options: LoadOptions): Promise<void> {
  const ownMigrations = await readMigrations(options.folder);
  const migrations = findDumpMigrations(options.dump.head, ownMigrations);
  const client = await openBackupConnection(options.url);
  try {
    await requireVersion(client);
    await requireUtf8(client);
    await requireUnused(client);
    await lockMigrations(client);
    await beginCopyTransaction(client);
    await client.query("SET LOCAL lock_timeout = '10s'");
    await removeTables(client, ownMigrations, options.shouldReplace);
    await createTables(client, migrations);
    await fillTables(client, listOwnObjects(migrations), options);
    await options.beforeCommit?.(client);
    await client.query('COMMIT');
    options.onCommitted?.();
    // Without statistics, PostgreSQL would plan queries as if the tables were empty.
    for (const { name } of options.dump.head.tables) await client.query(`ANALYZE ${quoteNames([name])}`);
  } finally {
    await client.end();
  }
}

/** Throws a BackupError if this version lacks a migration of the dump or has it with a different text. */
export function findDumpMigrations(
  { version, migrations }: DumpHead,
  ownMigrations: readonly MigrationFile[],
): MigrationFile[] {
  return migrations.map(({ name, checksum }) => {
    const migration = ownMigrations.find((file) => file.name === name);
    if (!migration) {
      throw new BackupError(
        `This backup was created by a later version of Heliograph (${version}, with the migration ${name}). Restore it with ` +
          'that version or a later one.',
      );
    }
    if (!matchesChecksum(migration, checksum))
      throw new BackupError(`The migration ${name} has a different text in this version.`);
    return migration;
  });
}

export async function requireUnused(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND (application_name = '${SERVER_NAME}' OR application_name LIKE '${SERVER_NAME} %/%')`,
  );
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new BackupError(
    `A Heliograph server is using the store (${count} ${count === 1 ? 'connection' : 'connections'}). Stop all servers first.`,
  );
}

async function removeTables(
  client: pg.Client,
  ownMigrations: readonly MigrationFile[],
  replace?: boolean,
): Promise<void> {
  const { rows } = await client.query<{ name: string; isDetached: boolean }>(
    `SELECT relname AS name, obj_description(oid, 'pg_class') IS NOT DISTINCT FROM $1 AS "isDetached" FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    [DETACHED],
  );
  const presentTables = rows.map(({ name }) => name);
  if (!presentTables.includes('_prisma_migrations')) return await requireNoTables(client);
  await expectKnownMigrations(client, ownMigrations);
  const { tables, seededTables, types, functions } = listOwnObjects(ownMigrations);
  const ownTables = tables.filter((name) => presentTables.includes(name));
  if (!replace) {
    const mustBeEmpty = ownTables.filter((name) => !seededTables.includes(name));
    await expectEmptyTables(client, mustBeEmpty, replace === undefined ? USE_EMPTY : USE_EMPTY_OR_REPLACE);
  }
  const detached = rows.filter(({ isDetached }) => isDetached).map(({ name }) => name);
  await client.query(`DROP TABLE ${quoteNames([...ownTables, ...detached, '_prisma_migrations'])}`);
  await client.query(`DROP FUNCTION IF EXISTS ${quoteNames(functions)}`);
  await client.query(`DROP TYPE IF EXISTS ${quoteNames(types)}`);
}

async function expectKnownMigrations(client: pg.Client, ownMigrations: readonly MigrationFile[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE NOT migration_name = ANY($1)',
    [ownMigrations.map(({ name }) => name)],
  );
  if (!rows[0]) return;
  throw new BackupError(
    `The store was migrated by a later version of Heliograph (${rows[0].name}). Use an empty store.`,
  );
}

const USE_EMPTY = 'Use an empty database.';
const USE_EMPTY_OR_REPLACE =
  'Use an empty database or another DATA_DIR, or add --replace to delete all of its Heliograph data.';

async function expectEmptyTables(client: pg.Client, tables: readonly string[], advice: string): Promise<void> {
  for (const table of tables) {
    const { rowCount } = await client.query(`SELECT FROM ${quoteNames([table])} LIMIT 1`);
    if (rowCount === 0) continue;
    throw new BackupError(`The store is not empty: its table ${table} has rows. ${advice}`);
  }
}

async function fillTables(
  client: pg.Client,
  ownObjects: OwnObjects,
  { dump, sums, onRows }: LoadOptions,
): Promise<void> {
  const { head } = dump;
  const unknownTable = head.tables.find(({ name }) => !ownObjects.tables.includes(name));
  if (unknownTable) throw new BackupError(`The migrations of the backup do not create the table ${unknownTable.name}.`);
  // The dump also contains the rows that migrations insert, so remove those rows first.
  await client.query(`TRUNCATE ${quoteNames(ownObjects.tables)}`);
  const tally = new DumpTally();
  const chunks = dump.chunks[Symbol.asyncIterator]();
  let next = await chunks.next();
  for (const { name, columns } of head.tables) {
    const readTable = async function* (): AsyncGenerator<Chunk['bytes']> {
      for (; !next.done && next.value.table === name; next = await chunks.next()) {
        tally.add(next.value);
        yield next.value.bytes;
        onRows?.(name, tally.countRows(name));
      }
    };
    await pipeline(readTable, client.query(copyFrom(`COPY ${quoteNames([name])} (${quoteNames(columns)}) FROM STDIN`)));
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${quoteNames([name])}`);
    if (Number(rows[0]?.count) !== tally.countRows(name)) {
      throw new BackupError(`Stored ${rows[0]?.count} of ${tally.countRows(name)} rows of the table ${name}.`);
    }
  }
  if (!next.done) throw new BackupError(`The rows of the table ${next.value.table} are in an unexpected position.`);
  for (const { name, value, isCalled } of head.sequences) {
    await client.query('SELECT setval($1::regclass, $2, $3)', [quoteNames([name]), value, isCalled]);
  }
  await expectSums(await sums(client), head.sums);
}

async function expectSums(actual: Record<string, string>, expected: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(expected)) {
    if (actual[name] !== value) throw new BackupError(`The aggregate ${name} is ${actual[name]} instead of ${value}.`);
  }
}
