import type pg from 'pg';
import { readIdTime } from '../../platform/ids.js';
import { LATER_TABLE, LAYOUT_LOCK } from './layout-store.js';
import { type Month, startOfMonth } from './months.js';

/** Message IDs that are further ahead indicate a wrong clock, which an operator should check first. */
const MAX_MONTHS_AHEAD = 12;

/** A large table must be validated before new IDs reach the month from which it is divided. */
const BORDER_NEAR_MS = 2 * 24 * 60 * 60 * 1000;

/** Reads the storage parameters of a table, because partitions do not inherit them. */
export async function readStorage(client: pg.ClientBase, table: string): Promise<string> {
  const { rows } = await client.query<{ options: string | null }>(
    `SELECT string_agg(option, ', ') AS options FROM (
       SELECT unnest(c.reloptions) AS option FROM pg_class c WHERE c.oid = to_regclass($1)
       UNION ALL
       SELECT 'toast.' || unnest(t.reloptions) FROM pg_class c JOIN pg_class t ON t.oid = c.reltoastrelid
       WHERE c.oid = to_regclass($1)) AS options`,
    [table],
  );
  return rows[0]?.options ? ` WITH (${rows[0].options})` : '';
}

/** Creates the tables of months in the caller's transaction. */
export async function createMonths(client: pg.ClientBase, months: readonly Month[], storage: string): Promise<void> {
  for (const { name, from, to } of months) await createPartition(client, name, { from, to: `'${to}'`, storage });
}

export async function createLater(client: pg.ClientBase, from: string, storage: string): Promise<void> {
  await createPartition(client, LATER_TABLE, { from, to: 'MAXVALUE', storage });
}

/** The owner of `messages` must also own the partition, because servers detach and drop partitions in that role. */
async function createPartition(
  client: pg.ClientBase,
  name: string,
  { from, to, storage }: { from: string; to: string; storage: string },
): Promise<void> {
  await client.query(`CREATE TABLE ${name} PARTITION OF messages FOR VALUES FROM ('${from}') TO (${to})${storage}`);
  const { rows } = await client.query<{ owner: string }>(
    `SELECT quote_ident(pg_get_userbyid(relowner)) AS owner FROM pg_class WHERE oid = to_regclass('messages')`,
  );
  if (rows[0]) await client.query(`ALTER TABLE ${name} OWNER TO ${rows[0].owner}`);
}

/** Returns false instead of waiting for the lock. */
export async function tryLockLayout(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
    LAYOUT_LOCK,
  ]);
  return rows[0]?.locked === true;
}

/**
 * Returns the first month that starts at least two days from now and after the highest ID of a table.
 * @throws Error if that month is more than a year ahead
 */
export async function firstMonthAfter(
  client: Pick<pg.ClientBase, 'query'>,
  table: 'messages' | typeof LATER_TABLE,
  now: Date,
): Promise<Date> {
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id DESC LIMIT 1`);
  const latest = rows[0] ? readIdTime(rows[0].id).getTime() : 0;
  const start = startOfMonth(new Date(Math.max(latest, now.getTime() + BORDER_NEAR_MS)), 1);
  if (start <= startOfMonth(now, MAX_MONTHS_AHEAD)) return start;
  throw new Error(
    `The latest message has an ID from ${new Date(latest).toISOString()}, so a server's clock was wrong. The first month would start ` +
      'after that message. Nothing was changed.',
  );
}

export function isBorderNear(border: string, now: Date): boolean {
  return readIdTime(border).getTime() - now.getTime() < BORDER_NEAR_MS;
}
