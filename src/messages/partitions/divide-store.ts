import type pg from 'pg';
import { lowestIdAt, readIdTime } from '../../platform/ids.js';
import { inLockingTransaction, preventVacuum, retryUntilLocked } from '../../platform/store/migrations/contention.js';
import { ensureMonths } from './ensure-months-store.js';
import { BEFORE_TABLE, BORDER_CHECK, LAYOUT_LOCK, type Layout, readLayout } from './layout-store.js';
import { listMonthsFrom } from './months.js';
import { createLater, createMonths, firstMonthAfter, isBorderNear, readStorage } from './months-store.js';
import { readRights, renameTable, requireDivisible } from './table-store.js';

export interface DivideOptions {
  client: pg.ClientBase;
  now: Date;
  report(sentence: string): void;
  /** Called in the transaction that divides the table, so that the callback's changes commit together with the division. */
  onDivided?(client: pg.ClientBase): Promise<void>;
  /** How long each step waits for locks, in milliseconds. */
  patienceMs?: number;
  /** How long other transactions wait behind each attempt to lock the table, in milliseconds. */
  lockTimeoutMs?: number;
}

export interface DivisionPlan {
  /** The lowest ID stored in a monthly table. */
  border: string;
  /** Whether the border check constraint already exists; the command prints this field in its JSON output. */
  isPromised: boolean;
  months: string[];
}

export async function planDivision(
  client: Pick<pg.ClientBase, 'query'>,
  layout: Extract<Layout, { kind: 'plain' }>,
  now: Date,
): Promise<DivisionPlan> {
  await requireDivisible(client);
  const existingBorder = layout.border?.id;
  const isPromised = existingBorder !== undefined && !isBorderNear(existingBorder, now);
  const start = isPromised ? readIdTime(existingBorder) : await firstMonthAfter(client, 'messages', now);
  return { border: lowestIdAt(start), isPromised, months: listMonthsFrom(start, now).map(({ name }) => name) };
}

/**
 * Divides the table of messages by month while servers keep running. Each step is atomic, and an interrupted run continues
 * where it stopped.
 *
 * - A check constraint limits the IDs of new rows.
 * - The constraint is validated for existing rows, which does not block reads or writes.
 * - The table becomes a partition of a new one.
 * - The new table is analyzed.
 *
 * @param options.client separate connection, which keeps a lock until it ends
 * @returns milliseconds for which the table was locked, or null if it was already divided
 * @throws SQLSTATE 55P03 after a lock timeout
 */
export async function divideByMonth(options: DivideOptions): Promise<number | null> {
  const { client, now, report } = options;
  await client.query('SET statement_timeout = 0');
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [LAYOUT_LOCK]);
  if (!rows[0]?.locked)
    throw new Error('Another process is dividing the table messages, or creating or dropping a month. Try again.');
  const layout = await readLayout(client);
  if (layout.kind === 'other') throw new Error('The table messages is already divided, but not by Heliograph.');
  let lockedMs: number | null = null;
  if (layout.kind === 'plain') {
    const plan = await planDivision(client, layout, now);
    await addBorderCheck(options, layout, plan);
    report('Checking all rows, without blocking anyone');
    await client.query(`ALTER TABLE messages VALIDATE CONSTRAINT ${BORDER_CHECK}`);
    lockedMs = await swapTables(options, plan.border);
    report(`Divided the table; it was locked for ${Math.ceil(lockedMs)} ms`);
  } else {
    await retryUntilUnlocked(options, () => ensureMonths(client, now, Number.POSITIVE_INFINITY));
  }
  report('Analyzing the table');
  await client.query('ANALYZE messages');
  return lockedMs;
}

async function addBorderCheck(
  options: DivideOptions,
  layout: Layout,
  { border, isPromised }: DivisionPlan,
): Promise<void> {
  if (isPromised) return;
  const { client, report, lockTimeoutMs = 500 } = options;
  report(`Limiting new messages to IDs before ${readIdTime(border).toISOString()}`);
  await retryUntilUnlocked(options, () =>
    inLockingTransaction(client, lockTimeoutMs, async () => {
      await preventVacuum(client, 'messages', lockTimeoutMs);
      if (layout.kind === 'plain' && layout.border) await dropBorderCheck(client);
      await client.query(
        `ALTER TABLE messages ADD CONSTRAINT ${BORDER_CHECK} CHECK (id < '${border}'::uuid) NOT VALID`,
      );
    }),
  );
}

async function dropBorderCheck(client: pg.ClientBase): Promise<void> {
  await client.query(`ALTER TABLE messages DROP CONSTRAINT ${BORDER_CHECK}`);
}

function retryUntilUnlocked<T>({ report, patienceMs = 120_000 }: DivideOptions, work: () => Promise<T>): Promise<T> {
  return retryUntilLocked(work, { patienceMs, onWait: () => report('The table is in use; trying again') });
}

function swapTables(options: DivideOptions, border: string): Promise<number> {
  const { client, now, onDivided, lockTimeoutMs = 500 } = options;
  return retryUntilUnlocked(options, async () => {
    let lockedAt = 0;
    await inLockingTransaction(client, lockTimeoutMs, async () => {
      await preventVacuum(client, 'messages', lockTimeoutMs);
      await client.query('LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
      lockedAt = performance.now();
      await createDivided(client, border, now);
      await onDivided?.(client);
    });
    return performance.now() - lockedAt;
  });
}

const READ_INDEXES = `
SELECT CASE WHEN k.oid IS NULL THEN pg_get_indexdef(i.oid)
            ELSE format('ALTER TABLE messages ADD CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) END AS statement
FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
LEFT JOIN pg_constraint k ON k.conindid = i.oid AND k.conrelid = x.indrelid AND k.contype IN ('p', 'u')
WHERE x.indrelid = to_regclass('messages') ORDER BY x.indisprimary DESC, i.relname`;

async function createDivided(client: pg.ClientBase, border: string, now: Date): Promise<void> {
  const { rows: indexes } = await client.query<{ statement: string }>(READ_INDEXES);
  const storage = await readStorage(client, 'messages');
  const rights = await readRights(client);
  await renameTable(client, 'messages', BEFORE_TABLE);
  await client.query(
    `CREATE TABLE messages (LIKE ${BEFORE_TABLE} INCLUDING ALL EXCLUDING INDEXES) PARTITION BY RANGE (id)`,
  );
  await dropBorderCheck(client);
  // Indexes are created before ATTACH, which then reuses the partition's indexes instead of building new ones.
  for (const { statement } of indexes) await client.query(statement);
  for (const statement of rights) await client.query(statement);
  await client.query(
    `ALTER TABLE messages ATTACH PARTITION ${BEFORE_TABLE} FOR VALUES FROM (MINVALUE) TO ('${border}')`,
  );
  await client.query(`ALTER TABLE ${BEFORE_TABLE} DROP CONSTRAINT ${BORDER_CHECK}`);
  const months = listMonthsFrom(readIdTime(border), now);
  await createMonths(client, months, storage);
  await createLater(client, months.at(-1)?.to ?? border, storage);
}
