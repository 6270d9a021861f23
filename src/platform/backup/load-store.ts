import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { SERVER_NAME } from '../store/connections/connection-name.js';
import { DETACHED } from '../store/detached.js';
import { lockMigrations } from '../store/migrations/lock.js';
import { expectNoTables, expectUtf8, expectVersion, makeTables } from '../store/migrations/migrate.js';
import { isChecksumOf, type MigrationFile, readMigrations } from '../store/migrations/migration-files.js';
import { BackupError, type Chunk, type Dump, type DumpHead, type Sums, Tally } from './dump.js';
import { type OwnObjects, ownObjects } from './own-objects.js';
import { beginCopying, connectTo, quoted } from './snapshot-store.js';

export interface LoadOptions {
  /** The store to fill. */
  url: string;
  dump: Dump;
  sums: Sums;
  /** Whether to delete what the store holds; otherwise one that holds anything is refused. undefined: the same, without advice to. */
  replace?: boolean;
  /** Migrations of this version, unless a test tells others. */
  folder?: string;
  onRows?(table: string, rows: number): void;
  /** Called when everything is loaded and compared, in its transaction; when it throws, the store stays as it was. */
  beforeCommit?(client: Pick<pg.ClientBase, 'query'>): Promise<void>;
  /** Called as soon as the store is filled for good, whatever fails afterwards. */
  onCommitted?(): void;
}

/**
 * Fills a store with a dump, whole or not at all: in one transaction its tables are made by the migrations that the dump
 * knows, filled in the order of their foreign keys, so that no privilege is needed beyond that of the tables' owner, and
 * compared with the dump by rows and sums. Later migrations are left to the caller.
 * @throws {BackupError} when the dump is of a later version, when the store is not empty or in use, or when anything differs
 */
export async function loadDump(options: LoadOptions): Promise<void> {
  const own = await readMigrations(options.folder);
  const migrations = knownMigrations(options.dump.head, own);
  const client = await connectTo(options.url);
  try {
    await expectVersion(client);
    await expectUtf8(client);
    await expectUnused(client);
    await lockMigrations(client);
    await beginCopying(client);
    await client.query("SET LOCAL lock_timeout = '10s'");
    await removeTables(client, own, options.replace);
    await makeTables(client, migrations);
    await fill(client, ownObjects(migrations), options);
    await options.beforeCommit?.(client);
    await client.query('COMMIT');
    options.onCommitted?.();
    // Until tables are analyzed, plans are made as for empty ones.
    for (const { name } of options.dump.head.tables) await client.query(`ANALYZE ${quoted([name])}`);
  } finally {
    await client.end();
  }
}

/** The migrations of a dump. @throws {BackupError} when this version lacks one of them, or has it with another text */
export function knownMigrations({ version, migrations }: DumpHead, own: readonly MigrationFile[]): MigrationFile[] {
  return migrations.map(({ name, checksum }) => {
    const found = own.find((each) => each.name === name);
    if (!found) {
      throw new BackupError(
        `This was taken by a later version of Heliograph (${version}, with the migration ${name}) than this one: restore ` +
          'it with that version or a later one.',
      );
    }
    if (!isChecksumOf(found, checksum))
      throw new BackupError(`The migration ${name} has another text in this version.`);
    return found;
  });
}

/** @throws {BackupError} when a server is connected to the store */
export async function expectUnused(client: Pick<pg.Client, 'query'>): Promise<void> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND (application_name = '${SERVER_NAME}' OR application_name LIKE '${SERVER_NAME} %/%')`,
  );
  const count = rows[0]?.count ?? 0;
  if (count === 0) return;
  throw new BackupError(
    `A server of Heliograph uses the store (${count} ${count === 1 ? 'connection' : 'connections'}): stop every one first.`,
  );
}

/** Makes room for the tables. What is not Heliograph's is let be. */
async function removeTables(client: pg.Client, own: readonly MigrationFile[], replace?: boolean): Promise<void> {
  const { rows } = await client.query<{ name: string; isDetached: boolean }>(
    `SELECT relname AS name, obj_description(oid, 'pg_class') IS NOT DISTINCT FROM $1 AS "isDetached" FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
    [DETACHED],
  );
  const present = rows.map(({ name }) => name);
  if (!present.includes('_prisma_migrations')) return await expectNoTables(client);
  await expectKnown(client, own);
  const { tables, filled, types, functions } = ownObjects(own);
  const ours = tables.filter((name) => present.includes(name));
  if (!replace) {
    const empty = ours.filter((name) => !filled.includes(name));
    await expectEmpty(client, empty, replace === undefined ? NAME_ANOTHER : OR_REPLACE);
  }
  const detached = rows.filter(({ isDetached }) => isDetached).map(({ name }) => name);
  await client.query(`DROP TABLE ${quoted([...ours, ...detached, '_prisma_migrations'])}`);
  await client.query(`DROP FUNCTION IF EXISTS ${quoted(functions)}`);
  await client.query(`DROP TYPE IF EXISTS ${quoted(types)}`);
}

async function expectKnown(client: pg.Client, own: readonly MigrationFile[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE NOT migration_name = ANY($1)',
    [own.map(({ name }) => name)],
  );
  if (!rows[0]) return;
  throw new BackupError(`The store was migrated by a later version of Heliograph (${rows[0].name}): use an empty one.`);
}

const NAME_ANOTHER = 'Name an empty database.';
const OR_REPLACE =
  'Use an empty database or another DATA_DIR, or say --replace to delete everything that Heliograph keeps there.';

async function expectEmpty(client: pg.Client, tables: readonly string[], advice: string): Promise<void> {
  for (const table of tables) {
    const { rowCount } = await client.query(`SELECT FROM ${quoted([table])} LIMIT 1`);
    if (rowCount === 0) continue;
    throw new BackupError(`The store is not empty: its table ${table} has rows. ${advice}`);
  }
}

async function fill(client: pg.Client, own: OwnObjects, { dump, sums, onRows }: LoadOptions): Promise<void> {
  const { head } = dump;
  const foreign = head.tables.find(({ name }) => !own.tables.includes(name));
  if (foreign) throw new BackupError(`The migrations that it names make no table ${foreign.name}.`);
  // Rows that the migrations themselves put there come with the dump.
  await client.query(`TRUNCATE ${quoted(own.tables)}`);
  const tally = new Tally();
  const chunks = dump.chunks[Symbol.asyncIterator]();
  let next = await chunks.next();
  for (const { name, columns } of head.tables) {
    const ofTable = async function* (): AsyncGenerator<Chunk['bytes']> {
      for (; !next.done && next.value.table === name; next = await chunks.next()) {
        tally.add(next.value);
        yield next.value.bytes;
        onRows?.(name, tally.rowsOf(name));
      }
    };
    await pipeline(ofTable, client.query(copyFrom(`COPY ${quoted([name])} (${quoted(columns)}) FROM STDIN`)));
    const { rows } = await client.query<{ count: string }>(`SELECT count(*) FROM ${quoted([name])}`);
    if (Number(rows[0]?.count) !== tally.rowsOf(name)) {
      throw new BackupError(`Of ${tally.rowsOf(name)} rows of the table ${name}, ${rows[0]?.count} were stored.`);
    }
  }
  if (!next.done) throw new BackupError(`The rows of the table ${next.value.table} come in an unexpected place.`);
  for (const { name, value, isCalled } of head.sequences) {
    await client.query('SELECT setval($1::regclass, $2, $3)', [quoted([name]), value, isCalled]);
  }
  await expectSums(await sums(client), head.sums);
}

async function expectSums(found: Record<string, string>, expected: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(expected)) {
    if (found[name] !== value) throw new BackupError(`The sum ${name} is ${found[name]}, and was ${value}.`);
  }
}
