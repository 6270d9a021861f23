import type pg from 'pg';
import { escapeIdentifier } from '../connections/client.js';
import { inLockingTransaction } from './contention.js';
import type { ConcurrentIndex, MigrationFile } from './migration-files.js';

/** Short timeout with retries, because other statements queue behind a pending lock request. */
const LOCK_TIMEOUT_MS = 1000;
/** PostgreSQL's limit, in bytes. */
const MAX_NAME_LENGTH = 63;

/** PostgreSQL does not support CONCURRENTLY for indexes of partitioned tables. */
export async function isPartitioned(client: pg.ClientBase, { index, table }: ConcurrentIndex): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class WHERE oid IN (to_regclass(quote_ident($1)), to_regclass(quote_ident($2))) AND relkind IN ('p', 'I')`,
    [index, table ?? index],
  );
  return (rowCount ?? 0) > 0;
}

/** First creates an invalid index on the parent table, which becomes valid with the index of the last partition. */
export async function createPartitionedIndex(
  client: pg.ClientBase,
  { sql }: MigrationFile,
  { index, table }: ConcurrentIndex,
): Promise<void> {
  const tableClause = new RegExp(`INDEX CONCURRENTLY IF NOT EXISTS "${index}" ON "${table}"`);
  if (!tableClause.test(sql)) throw new Error(`the statement that creates ${index} has an unexpected form`);
  await inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    await client.query(sql.replace(tableClause, `INDEX IF NOT EXISTS "${index}" ON ONLY "${table}"`));
  });
  // Servers of an earlier version may create and drop partitions concurrently, so query the next partition in each round.
  const findNextPartition = async () => (await listPartitionsWithoutIndex(client, index, String(table)))[0];
  for (let partition = await findNextPartition(); partition !== undefined; partition = await findNextPartition()) {
    const indexName = `${partition}_${index.replace(`${table}_`, '')}`.slice(0, MAX_NAME_LENGTH);
    const name = escapeIdentifier(indexName);
    if (await isUnfinished(client, indexName)) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
    await client.query(
      sql.replace(tableClause, `INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${escapeIdentifier(partition)}`),
    );
    await inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
      await client.query(`ALTER INDEX "${index}" ATTACH PARTITION ${name}`);
    });
  }
}

export async function dropPartitionedIndex(client: pg.ClientBase, { index }: ConcurrentIndex): Promise<void> {
  await inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    await client.query(`DROP INDEX IF EXISTS "${index}"`);
  });
}

async function listPartitionsWithoutIndex(client: pg.ClientBase, index: string, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = to_regclass(quote_ident($1)) AND NOT EXISTS (
       SELECT FROM pg_index x JOIN pg_inherits attached ON attached.inhrelid = x.indexrelid
       WHERE x.indrelid = c.oid AND attached.inhparent = to_regclass(quote_ident($2)))
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
