import type pg from 'pg';
import { timeOfId } from '../../platform/ids.js';
import { LATER, LAYOUT_LOCK } from './layout-store.js';
import { type Month, monthStart } from './months.js';

/** Ids further ahead than this are of a clock that was wrong, which somebody should look at first. */
const MOST_AHEAD_MONTHS = 12;

/**
 * A border that was promised, and that nobody went on to use, is taken back this long before ids reach it; who divides the
 * table sets another one then, for reading a large table takes time.
 */
const BORDER_NEAR_MS = 2 * 24 * 60 * 60 * 1000;

/** Parameters of a partition's storage, which it does not inherit, as they stand in WITH (…). */
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

/** Makes tables of months, with the indexes and rules of all, within the caller's transaction. */
export async function makeMonths(client: pg.ClientBase, months: readonly Month[], storage: string): Promise<void> {
  for (const { name, from, to } of months) await makePartition(client, name, { from, to: `'${to}'`, storage });
}

/** Makes the table of all ids from a border on. */
export async function makeLater(client: pg.ClientBase, from: string, storage: string): Promise<void> {
  await makePartition(client, LATER, { from, to: 'MAXVALUE', storage });
}

/** It has the owner of `messages`, whoever makes it: servers detach and drop it as that. */
async function makePartition(
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

/** Whether the transaction may change which tables there are; nobody is waited for. */
export async function lockLayout(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    LAYOUT_LOCK,
  ]);
  return rows[0]?.taken === true;
}

/**
 * The first month that begins two days from now or later, and after the highest id of a table.
 * @throws with a sentence when that lies a year ahead
 */
export async function firstMonthAfter(
  client: Pick<pg.ClientBase, 'query'>,
  table: 'messages' | typeof LATER,
  now: Date,
): Promise<Date> {
  const { rows } = await client.query<{ id: string }>(`SELECT id FROM ${table} ORDER BY id DESC LIMIT 1`);
  const latest = rows[0] ? timeOfId(rows[0].id).getTime() : 0;
  const start = monthStart(new Date(Math.max(latest, now.getTime() + BORDER_NEAR_MS)), 1);
  if (start <= monthStart(now, MOST_AHEAD_MONTHS)) return start;
  throw new Error(
    `The latest message has an id of ${new Date(latest).toISOString()}, so the clock of a server was wrong: the first month would ` +
      'begin after it. Nothing was changed.',
  );
}

/** Whether ids reach a border that was promised, and nobody went on to use, in less than two days. */
export function isNear(border: string, now: Date): boolean {
  return timeOfId(border).getTime() - now.getTime() < BORDER_NEAR_MS;
}
