import type pg from 'pg';
import { lowestIdAt, timeOfId } from '../../platform/ids.js';
import { inLockingTransaction, keepVacuumAway, untilLocked } from '../../platform/store/migrations/contention.js';
import { keepMonths } from './keep-store.js';
import { BEFORE, BORDER_CHECK, LAYOUT_LOCK, type Layout, readLayout } from './layout-store.js';
import { monthsFrom } from './months.js';
import { firstMonthAfter, isNear, makeLater, makeMonths, readStorage } from './months-store.js';
import { expectMovable, readRights, renameTable } from './table-store.js';

export interface TakeOverOptions {
  client: pg.ClientBase;
  /** Business time. */
  now: Date;
  /** Told of each step, in a sentence. */
  tell(sentence: string): void;
  /** Called in the transaction that divides the table, once it has: it is divided with what this writes, or not at all. */
  onDivided?(client: pg.ClientBase): Promise<void>;
  /** How long each step waits for locks that others hold, in milliseconds; 120,000 unless given. */
  patienceMs?: number;
  /** How long others wait behind each try for a lock, in milliseconds; 500 unless given. */
  lockTimeoutMs?: number;
}

/** Where the table is to be divided. */
export interface Plan {
  /** The lowest id that goes into a table of a month. */
  border: string;
  /** Whether the table already promises that its ids end there. */
  isPromised: boolean;
  months: string[];
}

/**
 * Where a table that is not divided would be.
 * @throws with a sentence when something stands in the way
 */
export async function planTakeOver(
  client: Pick<pg.ClientBase, 'query'>,
  layout: Extract<Layout, { kind: 'plain' }>,
  now: Date,
): Promise<Plan> {
  await expectMovable(client);
  const promised = layout.border?.id;
  const isPromised = promised !== undefined && !isNear(promised, now);
  const start = isPromised ? timeOfId(promised) : await firstMonthAfter(client, 'messages', now);
  return { border: lowestIdAt(start), isPromised, months: monthsFrom(start, now).map(({ name }) => name) };
}

/**
 * Divides the table of messages by months, beside servers that work. It goes in steps, each of which is done or not; killed in
 * between, it goes on where it was: (1) the table promises that its ids end at a border, for new rows; (2) for all rows, which
 * are read without a lock that shuts anybody out; (3) in one transaction of some milliseconds it becomes the part before
 * the border of a table that takes its name, rules, indexes and rights; (4) that is analyzed.
 * @param options.client a connection of its own, which keeps a lock until it ends
 * @returns for how many milliseconds nobody could read or write; null where the table was divided already
 * @throws with a sentence when something stands in the way, with 55P03 when a lock was not to be had in time
 */
export async function takeOver(options: TakeOverOptions): Promise<number | null> {
  const { client, now, tell } = options;
  await client.query('SET statement_timeout = 0');
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [LAYOUT_LOCK]);
  if (!rows[0]?.taken) throw new Error('Another process divides the messages, or makes or drops a month: try again.');
  const layout = await readLayout(client);
  if (layout.kind === 'other') throw new Error('The table messages is divided already, and not by Heliograph.');
  let lockedMs: number | null = null;
  if (layout.kind === 'plain') {
    const plan = await planTakeOver(client, layout, now);
    await promise(options, layout, plan);
    tell('Reading the table, so that it need not be read under a lock');
    await client.query(`ALTER TABLE messages VALIDATE CONSTRAINT ${BORDER_CHECK}`);
    lockedMs = await swap(options, plan.border);
    tell(`The table is divided; nobody could use it for ${Math.ceil(lockedMs)} ms`);
  } else {
    await locked(options, () => keepMonths(client, now, Number.POSITIVE_INFINITY));
  }
  tell('Analyzing it, so that statements are planned well');
  await client.query('ANALYZE messages');
  return lockedMs;
}

async function promise(options: TakeOverOptions, layout: Layout, { border, isPromised }: Plan): Promise<void> {
  if (isPromised) return;
  const { client, tell, lockTimeoutMs = 500 } = options;
  tell(`New messages are held to ids before ${timeOfId(border).toISOString()}`);
  await locked(options, () =>
    inLockingTransaction(client, lockTimeoutMs, async () => {
      await keepVacuumAway(client, 'messages', lockTimeoutMs);
      if (layout.kind === 'plain' && layout.border) await dropPromise(client);
      await client.query(
        `ALTER TABLE messages ADD CONSTRAINT ${BORDER_CHECK} CHECK (id < '${border}'::uuid) NOT VALID`,
      );
    }),
  );
}

async function dropPromise(client: pg.ClientBase): Promise<void> {
  await client.query(`ALTER TABLE messages DROP CONSTRAINT ${BORDER_CHECK}`);
}

function locked<T>({ tell, patienceMs = 120_000 }: TakeOverOptions, work: () => Promise<T>): Promise<T> {
  return untilLocked(work, { patienceMs, onWait: () => tell('Others use the table; it is tried again') });
}

/** @returns for how many milliseconds the table was locked */
function swap(options: TakeOverOptions, border: string): Promise<number> {
  const { client, now, onDivided, lockTimeoutMs = 500 } = options;
  return locked(options, async () => {
    let lockedAt = 0;
    await inLockingTransaction(client, lockTimeoutMs, async () => {
      await keepVacuumAway(client, 'messages', lockTimeoutMs);
      await client.query('LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
      lockedAt = performance.now();
      await makeDivided(client, border, now);
      await onDivided?.(client);
    });
    return performance.now() - lockedAt;
  });
}

/**
 * What makes the old table's indexes, or the constraints that they belong to. It names the table as it is called, so it is read
 * before that is renamed.
 */
const READ_INDEXES = `
SELECT CASE WHEN k.oid IS NULL THEN pg_get_indexdef(i.oid)
            ELSE format('ALTER TABLE messages ADD CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) END AS makes
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
LEFT JOIN pg_constraint k ON k.conindid = i.oid AND k.conrelid = x.indrelid AND k.contype IN ('p', 'u')
WHERE x.indrelid = to_regclass('messages') ORDER BY x.indisprimary DESC, i.relname`;

async function makeDivided(client: pg.ClientBase, border: string, now: Date): Promise<void> {
  const { rows: indexes } = await client.query<{ makes: string }>(READ_INDEXES);
  const storage = await readStorage(client, 'messages');
  const rights = await readRights(client);
  await renameTable(client, 'messages', BEFORE);
  await client.query(`CREATE TABLE messages (LIKE ${BEFORE} INCLUDING ALL EXCLUDING INDEXES) PARTITION BY RANGE (id)`);
  await dropPromise(client);
  // First these: what is attached brings its own, so none of them is built.
  for (const { makes } of indexes) await client.query(makes);
  for (const statement of rights) await client.query(statement);
  await client.query(`ALTER TABLE messages ATTACH PARTITION ${BEFORE} FOR VALUES FROM (MINVALUE) TO ('${border}')`);
  await client.query(`ALTER TABLE ${BEFORE} DROP CONSTRAINT ${BORDER_CHECK}`);
  const months = monthsFrom(timeOfId(border), now);
  await makeMonths(client, months, storage);
  await makeLater(client, months.at(-1)?.to ?? border, storage);
}
