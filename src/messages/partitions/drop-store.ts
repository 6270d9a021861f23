import type pg from 'pg';
import { lowestIdAt } from '../../platform/ids.js';
import { inTransaction, LONG_PATIENCE_MS } from '../../platform/store/connections/pool.js';
import { DETACHED } from '../../platform/store/detached.js';
import { sqlState } from '../../platform/store/failures.js';
import { isContended, keepVacuumAway } from '../../platform/store/migrations/contention.js';
import { deleteInSteps, type SweepOptions } from '../../platform/store/sweep.js';
import { LATER, type Partition, readLayout } from './layout-store.js';
import { lockLayout } from './months-store.js';
import { DELETE_ORPHANS } from './orphans-sql.js';

/** Who sends and accepts waits no longer than this for a table that is taken off; it is tried again a minute later. */
const LOCK_TIMEOUT_MS = 300;

const UNDEFINED_TABLE = '42P01';

/** Blocks of `message_references` that one statement looks through: 16 MB. */
const BLOCKS = 2_048;

/**
 * Takes off the tables of months that lie before a border whole, and in which nothing more can happen: in some milliseconds
 * each, whatever they hold. With that their messages are gone; `dropDetached` sees to the rest. What cannot be taken off as a
 * whole is left to who deletes row by row. A month that PostgreSQL's clock has not seen end stays, whatever border there is: where
 * that of a server is ahead, nothing could be accepted any more.
 * @param border the lowest id that is kept
 * @returns whether a month that could leave as a table waits for a lock that others hold
 */
export async function detachMonths(options: SweepOptions, border: string): Promise<boolean> {
  const { pool, stopped } = options;
  const layout = await readLayout(pool);
  if (layout.kind !== 'months') return false;
  const past = layout.partitions.filter(({ name, to }) => name !== LATER && to !== null && to <= border);
  if (past.length === 0) return false;
  const { rows } = await pool.query<{ now: Date }>('SELECT now()');
  const present = lowestIdAt(rows[0]?.now ?? new Date(0));
  for (const partition of past.filter(({ to }) => to !== null && to <= present)) {
    if (stopped()) return false;
    const done = await detach(pool, partition);
    if (done === 'detached') options.onDeleted?.('messages', partition.rows);
    // Others stood still behind that try; they do so once a round, however many months are past.
    if (done === 'contended') return true;
  }
  return false;
}

/**
 * Deletes what messages of tables that were taken off left elsewhere, and then drops these tables. It goes by them alone, so
 * that what was begun is ended whatever retention has become since; killed in between, the next sweep goes on.
 */
export async function dropDetached(options: SweepOptions): Promise<void> {
  const { pool } = options;
  const detached = await readDetached(pool);
  if (detached.length === 0) return;
  const last = await highestId(pool, detached).catch((error: unknown) => {
    // Another process has dropped one by now; this one goes on with the next round.
    if (sqlState(error) === UNDEFINED_TABLE) return undefined;
    throw error;
  });
  if (last === undefined) return;
  if (last !== null) {
    if (!(await deleteReferences(options, last))) return;
    await deleteInSteps(
      options,
      DELETE_ORPHANS.map((text) => ({ text, values: [last] })),
    );
  }
  if (options.stopped()) return;
  for (const name of detached) await drop(pool, name);
}

/** Who copies the whole database may read it; then it is there for the next sweep. */
async function drop(pool: pg.Pool, name: string): Promise<void> {
  // One message, and with that one transaction; files of a large table take a while to remove.
  const text = `SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; DROP TABLE IF EXISTS ${name}`;
  try {
    await pool.query({ text, patienceMs: LONG_PATIENCE_MS } as pg.QueryConfig);
  } catch (error) {
    if (!isContended(error)) throw error;
  }
}

/** `kept`: something can still happen in it, or another process has detached it; `contended`: others hold a lock. */
type Detached = 'detached' | 'kept' | 'contended';

async function detach(pool: pg.Pool, { name }: Partition): Promise<Detached> {
  try {
    return await inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
      // By its index, which is empty then, and not by the rows.
      await client.query('SET LOCAL enable_seqscan = off');
      if (!(await lockLayout(client))) return 'contended';
      if (!(await isPartition(client, name)) || (await isUnderWay(client, name))) return 'kept';
      await keepVacuumAway(client, name, LOCK_TIMEOUT_MS);
      await client.query('LOCK TABLE ONLY messages IN ACCESS EXCLUSIVE MODE');
      await client.query(`LOCK TABLE ${name} IN ACCESS EXCLUSIVE MODE`);
      // Nobody can change any more what is found now.
      if (await isUnderWay(client, name)) return 'kept';
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

async function isUnderWay(client: pg.ClientBase, name: string): Promise<boolean> {
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

/** The highest id in some tables, by their primary keys; null where they are empty. */
async function highestId(pool: pg.Pool, tables: readonly string[]): Promise<string | null> {
  const highest = tables.map((name) => `(SELECT id FROM ${name} ORDER BY id DESC LIMIT 1)`).join(' UNION ALL ');
  const { rows } = await pool.query<{ id: string }>(`SELECT id FROM (${highest}) AS each ORDER BY id DESC LIMIT 1`);
  return rows[0]?.id ?? null;
}

/**
 * Nothing leads from a message's id to its reference, so the table is read once, some blocks at a time. That no message above
 * the border is one of theirs is said for both: else all months might be read for it.
 */
const DELETE_REFERENCES = `
DELETE FROM message_references r WHERE r.ctid >= $1::tid AND r.ctid < $2::tid AND r.message_id <= $3
  AND NOT EXISTS (SELECT FROM messages m WHERE m.id = r.message_id AND m.id <= $3)`;

/** @returns false where it was stopped */
async function deleteReferences({ pool, stopped }: SweepOptions, last: string): Promise<boolean> {
  const { rows } = await pool.query<{ blocks: number }>(
    `SELECT (pg_relation_size('message_references') / current_setting('block_size')::bigint)::int AS blocks`,
  );
  const blocks = rows[0]?.blocks ?? 0;
  for (let block = 0; block <= blocks; block += BLOCKS) {
    await pool.query({
      text: DELETE_REFERENCES,
      values: [`(${block},0)`, `(${block + BLOCKS},0)`, last],
      patienceMs: LONG_PATIENCE_MS,
    } as pg.QueryConfig);
    if (stopped()) return false;
  }
  return true;
}
