import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Clock } from '../clock.js';
import { VERSION } from '../package-folder.js';
import { escapeIdentifier, SteadyClient } from '../store/connections/client.js';
import { type MigrationFile, readMigrations } from '../store/migrations/migration-files.js';
import { BackupError, type Chunk, type Dump, type DumpHead, FORMAT, type Sums } from './dump.js';
import { ownObjects } from './own-objects.js';

/** Values as text in one form, whatever the database or the role is set to; and no limit that a large table would meet. */
const SETTINGS = `
  SET LOCAL client_encoding = 'UTF8'; SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = 'postgres';
  SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 3; SET LOCAL bytea_output = 'hex';
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '60s'`;

/** A connection for a dump or its loading. @throws {BackupError} when the store cannot be reached */
export async function connectTo(url: string): Promise<pg.Client> {
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
    const reason = reasons.map((each) => (each instanceof Error ? each.message : String(each))).join('; ');
    throw new BackupError(`PostgreSQL cannot be reached: ${reason}`, { cause });
  }
}

/** Begins a transaction in which rows travel as text. */
export async function beginCopying(client: pg.Client, mode = ''): Promise<void> {
  await client.query(`BEGIN ${mode}`);
  await client.query(SETTINGS);
}

/**
 * Hands out what a store holds at one moment: all tables are read in one REPEATABLE READ transaction that changes nothing,
 * beside whatever goes on. Only changes of the tables themselves wait for it.
 * @param work reads the chunks of the dump
 * @throws {BackupError} when the store cannot be reached, has no tables, or was migrated by a later version
 */
export async function withSnapshot<T>(
  { url, sums, clock, folder }: { url: string; sums: Sums; clock: Clock; folder?: string },
  work: (dump: Dump) => Promise<T>,
): Promise<T> {
  const own = await readMigrations(folder);
  const client = await connectTo(url);
  try {
    const names = await presentTables(client, own);
    await beginCopying(client, 'ISOLATION LEVEL REPEATABLE READ READ ONLY');
    // Before the first query, which takes the snapshot: a table that is rewritten after it would seem empty.
    await client.query(`LOCK TABLE ${quoted([...names, '_prisma_migrations'])} IN ACCESS SHARE MODE`);
    const head = await readHead(client, names, own, { sums, clock });
    return await work({ head, chunks: readChunks(client, head) });
  } finally {
    await client.end();
  }
}

async function presentTables(client: pg.Client, own: readonly MigrationFile[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relpersistence = 'p'
       AND relname = ANY($1)`,
    [[...ownObjects(own).tables, '_prisma_migrations']],
  );
  const names = rows.map(({ name }) => name);
  if (!names.includes('_prisma_migrations')) {
    throw new BackupError('The store has no tables of Heliograph: there is nothing to save.');
  }
  return names.filter((name) => name !== '_prisma_migrations');
}

async function readHead(
  client: pg.Client,
  names: readonly string[],
  own: readonly MigrationFile[],
  { sums, clock }: { sums: Sums; clock: Clock },
): Promise<DumpHead> {
  const migrations = await readApplied(client);
  const unknown = migrations.find(({ name }) => !own.some((each) => each.name === name));
  if (unknown) {
    throw new BackupError(
      `The store was migrated by a later version of Heliograph than this one, ${VERSION} (${unknown.name} is not known ` +
        'here): use that version.',
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
  const byName = new Map(columns.map((each) => [each.name, each.columns]));
  const ordered = inOrder(names, await readReferences(client));
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
  const half = rows.find(({ finished }) => !finished);
  if (half) throw new BackupError(`The migration ${half.name} of the store is not finished: start Heliograph first.`);
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

/** Each table after those that its foreign keys lead to. Exported for a test. @throws where they lead in a circle */
export function inOrder(names: readonly string[], references: readonly Reference[]): string[] {
  const ordered = new Set<string>();
  const begun = new Set<string>();
  const add = (name: string) => {
    if (ordered.has(name)) return;
    if (begun.has(name)) throw new Error(`the foreign keys of ${name} lead in a circle`);
    begun.add(name);
    for (const each of references) if (each.name === name) add(each.target);
    ordered.add(name);
  };
  for (const name of [...names].sort()) add(name);
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
      `SELECT last_value::text AS value, is_called AS "isCalled" FROM ${quoted([name])}`,
    );
    sequences.push(...state.rows.map((each) => ({ name, ...each })));
  }
  return sequences;
}

async function* readChunks(client: pg.Client, { tables }: DumpHead): AsyncGenerator<Chunk> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'p'`,
  );
  const divided = new Set(rows.map(({ name }) => name));
  for (const { name, columns } of tables) {
    // COPY reads no table that is divided into partitions, but what a query finds in it.
    const from = divided.has(name)
      ? `(SELECT ${quoted(columns)} FROM ${quoted([name])})`
      : `${quoted([name])} (${quoted(columns)})`;
    for await (const bytes of client.query(copyTo(`COPY ${from} TO STDOUT`))) yield { table: name, bytes };
  }
}

/** Names as a list in a statement. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => escapeIdentifier(name)).join(', ');
}
