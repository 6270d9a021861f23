import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Clock } from '../clock.js';
import { VERSION } from '../package-folder.js';
import { escapeIdentifier, SteadyClient } from '../store/connections/client.js';
import { type MigrationFile, readMigrations } from '../store/migrations/migration-files.js';
import { BackupError, type Chunk, type Dump, type DumpHead, FORMAT, type ReadAggregates } from './dump.js';
import { listOwnObjects } from './own-objects.js';

/** Settings that make the text format of values independent of the database, and allow long statements. */
const SETTINGS = `
  SET LOCAL client_encoding = 'UTF8'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres';
  SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex';
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '60s'`;

export async function openBackupConnection(url: string): Promise<pg.Client> {
  const client = new SteadyClient({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'heliograph backup',
  });
  try {
    await client.connect();
    return client;
  } catch (cause) {
    const reasons = cause instanceof AggregateError ? cause.errors : [cause];
    const reason = reasons.map((reason) => (reason instanceof Error ? reason.message : String(reason))).join('; ');
    throw new BackupError(`Cannot reach PostgreSQL: ${reason}`, { cause });
  }
}

export async function beginCopyTransaction(client: pg.Client, mode = ''): Promise<void> {
  await client.query(`BEGIN ${mode}`);
  await client.query(SETTINGS);
}

/**
 * Reads the store in one REPEATABLE READ transaction, which blocks only schema changes. Throws a BackupError if the store has
 * no tables or was migrated by a later version.
 */
export async function withSnapshot<T>(
  { url, sums, clock, folder }: { url: string; sums: ReadAggregates; clock: Clock; folder?: string },
  work: (dump: Dump) => Promise<T>,
): Promise<T> {
  const ownMigrations = await readMigrations(folder);
  const client = await openBackupConnection(url);
  try {
    const names = await findTables(client, ownMigrations);
    await beginCopyTransaction(client, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // Lock the tables before the first query takes the snapshot, because a table rewritten after the snapshot would look empty.
    await client.query(`LOCK TABLE ${quoteNames([...names, '_prisma_migrations'])} IN ACCESS SHARE MODE`);
    const head = await readHead(client, names, ownMigrations, { sums, clock });
    return await work({ head, chunks: readChunks(client, head) });
  } finally {
    await client.end();
  }
}

async function findTables(client: pg.Client, ownMigrations: readonly MigrationFile[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relpersistence = 'p'
       AND relname = ANY($1)`,
    [[...listOwnObjects(ownMigrations).tables, '_prisma_migrations']],
  );
  const names = rows.map(({ name }) => name);
  if (!names.includes('_prisma_migrations')) {
    throw new BackupError('The store has no Heliograph tables, so there is nothing to back up.');
  }
  return names.filter((name) => name !== '_prisma_migrations');
}

async function readHead(
  client: pg.Client,
  names: readonly string[],
  ownMigrations: readonly MigrationFile[],
  { sums, clock }: { sums: ReadAggregates; clock: Clock },
): Promise<DumpHead> {
  const migrations = await readApplied(client);
  const unknown = migrations.find(({ name }) => !ownMigrations.some((file) => file.name === name));
  if (unknown) {
    throw new BackupError(
      `The store was migrated by a later version of Heliograph than this one, ${VERSION}: the migration ${unknown.name} is ` +
        'not known here. Use that version.',
    );
  }
  const { rows: columns } = await client.query<{ name: string; columns: string[] }>(
    `SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = current_schema()::regnamespace AND relname = ANY($1) AND attnum > 0
       AND NOT attisdropped AND attgenerated = ''
     GROUP BY relname`,
    [names],
  );
  const byName = new Map(columns.map((table) => [table.name, table.columns]));
  const ordered = sortByReferences(names, await readReferences(client));
  return {
    format: FORMAT,
    version: VERSION,
    takenAt: clock.now().toISOString(),
    migrations,
    tables: ordered.map((name) => ({ name, columns: byName.get(name) ?? [] })),
    sequences: await readSequences(client, names),
    sums: await sums(client),
  };
}

async function readApplied(client: pg.Client): Promise<DumpHead['migrations']> {
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY migration_name COLLATE "C"`,
  );
  const unfinished = rows.find(({ finished }) => !finished);
  if (unfinished)
    throw new BackupError(`The migration ${unfinished.name} of the store is not finished. Start Heliograph first.`);
  return rows.map(({ name, checksum }) => ({ name, checksum }));
}

interface Reference {
  name: string;
  target: string;
}

async function readReferences(client: pg.Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(
    `SELECT child.relname AS name, parent.relname AS target
     FROM pg_constraint JOIN pg_class child ON child.oid = conrelid JOIN pg_class parent ON parent.oid = confrelid
     WHERE contype = 'f' AND conrelid <> confrelid AND connamespace = current_schema()::regnamespace`,
  );
  return rows;
}

/** Puts each table after the tables that its foreign keys refer to, and throws for a cycle. Exported for a test. */
export function sortByReferences(names: readonly string[], references: readonly Reference[]): string[] {
  const ordered = new Set<string>();
  const visiting = new Set<string>();
  const addAfterTargets = (name: string) => {
    if (ordered.has(name)) return;
    if (visiting.has(name)) throw new Error(`the foreign keys of ${name} form a cycle`);
    visiting.add(name);
    for (const reference of references) if (reference.name === name) addAfterTargets(reference.target);
    ordered.add(name);
  };
  for (const name of [...names].sort()) addAfterTargets(name);
  return [...ordered];
}

async function readSequences(client: pg.Client, tables: readonly string[]): Promise<DumpHead['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT sequence.relname AS name FROM pg_class sequence
     JOIN pg_depend ON classid = 'pg_class'::regclass AND objid = sequence.oid AND deptype IN ('a', 'i')
     JOIN pg_class owner ON owner.oid = refobjid
     WHERE sequence.relkind = 'S' AND owner.relnamespace = current_schema()::regnamespace AND owner.relname = ANY($1)
     ORDER BY sequence.relname`,
    [tables],
  );
  const sequences: DumpHead['sequences'] = [];
  for (const { name } of rows) {
    const state = await client.query<{ value: string; isCalled: boolean }>(
      `SELECT last_value::text AS value, is_called AS "isCalled" FROM ${quoteNames([name])}`,
    );
    sequences.push(...state.rows.map((state) => ({ name, ...state })));
  }
  return sequences;
}

async function* readChunks(client: pg.Client, { tables }: DumpHead): AsyncGenerator<Chunk> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'p'`,
  );
  const partitioned = new Set(rows.map(({ name }) => name));
  for (const { name, columns } of tables) {
    // COPY cannot read a partitioned table directly, so copy the result of a query instead.
    const source = partitioned.has(name)
      ? `(SELECT ${quoteNames(columns)} FROM ${quoteNames([name])})`
      : `${quoteNames([name])} (${quoteNames(columns)})`;
    for await (const bytes of client.query(copyTo(`COPY ${source} TO STDOUT`))) yield { table: name, bytes };
  }
}

export function quoteNames(names: readonly string[]): string {
  return names.map((name) => escapeIdentifier(name)).join(', ');
}
