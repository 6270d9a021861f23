import type pg from 'pg';
import { timeOfId } from '../../platform/ids.js';
import { BORDER_CHECK, endOfMonths, LATER, LAYOUT_LOCK, readLayout } from './layout-store.js';
import { type Month, madeUntil, monthsBetween } from './months.js';

/** Who sends and accepts waits no longer than this for a table that is being made, and it is tried again a minute later. */
const LOCK_TIMEOUT_MS = 300;

/**
 * A border that was promised, and that nobody went on to use, is taken back this long before ids reach it; who divides the
 * table sets another one then, for reading a large table takes time.
 */
export const BORDER_NEAR_MS = 2 * 24 * 60 * 60 * 1000;

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

/**
 * Makes the tables of the months ahead where they are missing. What lies in `LATER` by then, of a clock that runs ahead, is
 * moved into them. Where a table was to be divided, and was not, the promise that its ids end at a border is taken back
 * before they reach it. Waits for nobody long: who asks again a minute later may have more luck.
 * @param client in a transaction
 * @param now business time
 * @returns the names of the tables that were made
 * @throws with 55P03 where a lock was not to be had
 */
export async function keepMonths(client: pg.ClientBase, now: Date): Promise<string[]> {
  const before = await readLayout(client);
  if (before.kind === 'other') return [];
  if (before.kind === 'plain' && !(before.border && isNear(before.border.id, now))) return [];
  if (before.kind === 'months' && endOfMonths(before.partitions) >= madeUntil(now)) return [];
  await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
  if (!(await lockLayout(client))) return [];
  const layout = await readLayout(client);
  if (layout.kind === 'other') return [];
  if (layout.kind === 'plain') {
    await client.query(`ALTER TABLE messages DROP CONSTRAINT IF EXISTS ${BORDER_CHECK}`);
    return [];
  }
  const months = monthsBetween(endOfMonths(layout.partitions), madeUntil(now));
  const border = months.at(-1)?.to;
  if (border === undefined) return [];
  await client.query(`ALTER TABLE messages DETACH PARTITION ${LATER}`);
  await makeMonths(client, months, await readStorage(client, LATER));
  await client.query(
    'WITH moved AS (DELETE FROM messages_later WHERE id < $1 RETURNING *) INSERT INTO messages SELECT * FROM moved',
    [border],
  );
  await client.query(`ALTER TABLE messages ATTACH PARTITION ${LATER} FOR VALUES FROM ('${border}') TO (MAXVALUE)`);
  return months.map(({ name }) => name);
}

/** Whether the transaction may change which tables there are; nobody is waited for. */
export async function lockLayout(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS taken', [
    LAYOUT_LOCK,
  ]);
  return rows[0]?.taken === true;
}

function isNear(border: string, now: Date): boolean {
  return timeOfId(border).getTime() - now.getTime() < BORDER_NEAR_MS;
}
