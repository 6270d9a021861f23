import type pg from 'pg';
import { lowestIdAt } from '../../platform/ids.js';
import { inTransaction, LONG_TIMEOUT_MS } from '../../platform/store/connections/pool.js';
import { DETACHED } from '../../platform/store/detached.js';
import { getSqlState } from '../../platform/store/failures.js';
import { isContended, preventVacuum } from '../../platform/store/migrations/contention.js';
import { deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';
import { LATER_TABLE, type Partition, readLayout } from './layout-store.js';
import { tryLockLayout } from './months-store.js';
import { DELETE_ORPHANS } from './orphans-sql.js';

/** Longest time that sending or accepting a message may wait for a lock. */
const LOCK_TIMEOUT_MS = 300;

const UNDEFINED_TABLE = '42P01';

const BLOCKS_PER_STEP = 2_048;

/**
 * Keeps months that have not ended by PostgreSQL's clock, so that a server whose clock is ahead cannot remove the current
 * month.
 * @param border the lowest ID to keep
 * @returns true if a table could not be locked and must be tried again
 */
export async function detachMonths(options: SweepOptions, border: string): Promise<boolean> {
  const { pool, isStopped } = options;
  const layout = await readLayout(pool);
  if (layout.kind !== 'months') return false;
  const endedPartitions = layout.partitions.filter(
    ({ name, to }) => name !== LATER_TABLE && to !== null && to <= border,
  );
  if (endedPartitions.length === 0) return false;
  const { rows } = await pool.query<{ now: Date }>('SELECT now()');
  const lowestCurrentId = lowestIdAt(rows[0]?.now ?? new Date(0));
  for (const partition of endedPartitions.filter(({ to }) => to !== null && to <= lowestCurrentId)) {
    if (isStopped()) return false;
    const result = await detachPartition(pool, partition);
    if (result === 'detached') options.onDeleted?.('messages', partition.rows);
    // A round stops after the first failed attempt to lock a table, because such attempts block other transactions.
    if (result === 'contended') return true;
  }
  return false;
}

/** Drops detached tables, including tables left by an interrupted drop. */
export async function dropDetached(options: SweepOptions): Promise<void> {
  const { pool } = options;
  const detached = await readDetached(pool);
  if (detached.length === 0) return;
  const highestDetachedId = await highestId(pool, detached).catch((error: unknown) => {
    if (getSqlState(error) === UNDEFINED_TABLE) return undefined;
    throw error;
  });
  if (highestDetachedId === undefined) return;
  if (highestDetachedId !== null) {
    if (!(await deleteReferences(options, highestDetachedId))) return;
    await deleteInSteps(
      options,
      DELETE_ORPHANS.map((text) => ({ text, values: [highestDetachedId] })),
    );
  }
  if (options.isStopped()) return;
  for (const name of detached) await dropTable(pool, name);
}

/** If the table cannot be locked, for example because of a backup, the next sweep drops it. */
async function dropTable(pool: pg.Pool, name: string): Promise<void> {
  // Both statements are sent as one query, so that they run in one transaction.
  const text = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; DROP TABLE IF EXISTS ${name}`;
  try {
    await pool.query({ text, patienceMs: LONG_TIMEOUT_MS } as pg.QueryConfig);
  } catch (error) {
    if (!isContended(error)) throw error;
  }
}

/** A month is `kept` if one of its messages is not final or another process has detached the month. */
type DetachResult = 'detached' | 'kept' | 'contended';

async function detachPartition(pool: pg.Pool, { name }: Partition): Promise<DetachResult> {
  try {
    return await inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      // Sequential scans are turned off, so that PostgreSQL uses the nearly empty partial index on open messages.
      await client.query('SET LOCAL enable_seqscan = off');
      if (!(await tryLockLayout(client))) return 'contended';
      if (!(await isPartition(client, name)) || (await hasOpenMessages(client, name))) return 'kept';
      await preventVacuum(client, name, LOCK_TIMEOUT_MS);
      await client.query('LOCK TABLE ONLY messages IN ACCESS EXCLUSIVE MODE');
      await client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
      // The check for open messages is repeated while the table is locked, because another transaction may just have changed
      // the table.
      if (await hasOpenMessages(client, name)) return 'kept';
      await client.query(`ALTER TABLE messages DETACH PARTITION ${name}`);
      await client.query(`COMMENT ON TABLE ${name} IS '${DETACHED}'`);
      return 'detached';
    });
  } catch (error) {
    if (isContended(error)) return 'contended';
    throw error;
  }
}

async function isPartition(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1) AND inhparent = to_regclass('messages')`,
    [name],
  );
  return rowCount === 1;
}

async function hasOpenMessages(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `(SELECT FROM ${name} WHERE next_look IS NOT NULL LIMIT 1)
     UNION ALL (SELECT FROM fallbacks f JOIN ${name} m ON m.id = f.message_id WHERE f.next_look IS NOT NULL LIMIT 1)`,
  );
  return Number(rowCount) > 0;
}

async function readDetached(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND NOT relispartition
       AND relname ~ '^messages_(before|[0-9]{4}_[0-9]{2})$' AND obj_description(oid, 'pg_class') = $1
     ORDER BY relname`,
    [DETACHED],
  );
  return rows.map(({ name }) => name);
}

/** Returns null if the tables are empty. */
async function highestId(pool: pg.Pool, tables: readonly string[]): Promise<string | null> {
  const highest = tables.map((name) => `(SELECT id FROM ${name} ORDER BY id DESC LIMIT 1)`).join(' UNION ALL ');
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM (${highest}) AS highest ORDER BY id DESC LIMIT 1`);
  return rows[0]?.id ?? null;
}

/**
 * References have no index by message ID, so the table is scanned once, a few blocks at a time. The upper bound on
 * `messages.id` keeps PostgreSQL from searching all months.
 */
const DELETE_REFERENCES = `
DELETE FROM message_references r WHERE r.ctid >= $1::tid AND r.ctid < $2::tid AND r.message_id <= $3
  AND NOT EXISTS (SELECT FROM messages m WHERE m.id = r.message_id AND m.id <= $3)`;

async function deleteReferences({ pool, isStopped }: SweepOptions, highestMessageId: string): Promise<boolean> {
  const { rows } = await pool.query<{ blocks: number }>(
    `SELECT (pg_relation_size('message_references') / current_setting('block_size')::bigint)::int AS blocks`,
  );
  const blocks = rows[0]?.blocks ?? 0;
  for (let block = 0; block <= blocks; block += BLOCKS_PER_STEP) {
    await pool.query({
      text: DELETE_REFERENCES,
      values: [`(${block},0)`, `(${block + BLOCKS_PER_STEP},0)`, highestMessageId],
      patienceMs: LONG_TIMEOUT_MS,
    } as pg.QueryConfig);
    if (isStopped()) return false;
  }
  return true;
}
