import type pg from 'pg';
import { escapeIdentifier } from '../connections/client.js';
import { inLockingTransaction } from './contention.js';
import type { ConcurrentIndex, MigrationFile } from './migration-files.js';

/** As with every lock of a migration: others wait behind it no longer than this, and it is tried again. */
const LOCK_TIMEOUT_MS = 1000;
/** Names are cut by PostgreSQL behind so many bytes. */
const LONGEST_NAME = 63;

/** Whether an index is, or its table is, divided into partitions, for which PostgreSQL does nothing CONCURRENTLY. */
export async function isDivided(client: pg.ClientBase, { index, table }: ConcurrentIndex): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class WHERE oid IN (to_regclass(quote_ident($1)), to_regclass(quote_ident($2))) AND relkind IN ('p', 'I')`,
    [index, table ?? index],
  );
  return (rowCount ?? 0) > 0;
}

/**
 * Makes the index of a migration on a table that is divided: first as a form without partitions, then concurrently on one
 * partition after the other, each of which is put into the form. With the last one it is valid. Killed in between, it goes on.
 */
export async function makeDividedIndex(
  client: pg.ClientBase,
  { sql }: MigrationFile,
  { index, table }: ConcurrentIndex,
): Promise<void> {
  const ofTable = new RegExp(`INDEX CONCURRENTLY IF NOT EXISTS "${index}" ON "${table}"`);
  if (!ofTable.test(sql)) throw new Error(`the statement that makes ${index} has another form than expected`);
  await inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    await client.query(sql.replace(ofTable, `INDEX IF NOT EXISTS "${index}" ON ONLY "${table}"`));
  });
  // Servers of before may make and drop partitions meanwhile, so each is looked for when its turn comes.
  const next = async () => (await partitionsWithout(client, index, String(table)))[0];
  for (let partition = await next(); partition !== undefined; partition = await next()) {
    const own = `${partition}_${index.replace(`${table}_`, '')}`.slice(0, LONGEST_NAME);
    const name = escapeIdentifier(own);
    if (await isUnfinished(client, own)) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
    await client.query(
      sql.replace(ofTable, `INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${escapeIdentifier(partition)}`),
    );
    await inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
      await client.query(`ALTER INDEX "${index}" ATTACH PARTITION ${name}`);
    });
  }
}

/** Drops an index that is divided, which takes no longer than the locks that are waited for. */
export async function dropDividedIndex(client: pg.ClientBase, { index }: ConcurrentIndex): Promise<void> {
  await inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    await client.query(`DROP INDEX IF EXISTS "${index}"`);
  });
}

async function partitionsWithout(client: pg.ClientBase, index: string, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = to_regclass(quote_ident($1)) AND NOT EXISTS (
       SELECT FROM pg_index x JOIN pg_inherits of ON of.inhrelid = x.indexrelid
       WHERE x.indrelid = c.oid AND of.inhparent = to_regclass(quote_ident($2)))
     ORDER BY c.relname`,
    [table, index],
  );
  return rows.map(({ name }) => name);
}

async function isUnfinished(client: pg.ClientBase, index: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1)) AND NOT indisvalid',
    [index],
  );
  return rowCount === 1;
}
