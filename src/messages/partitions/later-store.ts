import type pg from 'pg';
import { lowestIdAt, readIdTime } from '../../platform/ids.js';
import { inLockingTransaction } from '../../platform/store/migrations/contention.js';
import { endOfMonths, LATER_CHECK, LATER_TABLE, readLayout } from './layout-store.js';
import { listMonthsBetween, startOfMonth } from './months.js';
import { createLater, firstMonthAfter, isBorderNear, readStorage, tryLockLayout } from './months-store.js';
import { renameTable } from './table-store.js';

/** Moving this many rows takes a few hundredths of a second. */
const MAX_MOVED_ROWS = 2_000;
/** Validation may have to read all rows of a large table. */
const VALIDATION_TIMEOUT_MS = 3_600_000;

export async function isLaterCrowded(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ crowded: boolean }>(
    `SELECT count(*) > ${MAX_MOVED_ROWS} AS crowded FROM (SELECT FROM ${LATER_TABLE} LIMIT ${MAX_MOVED_ROWS + 1}) AS found`,
  );
  return rows[0]?.crowded === true;
}

const READ_CHECK = `
SELECT substring(pg_get_constraintdef(oid) FROM $$id < '([0-9a-f-]{36})'$$) AS border, convalidated AS "isValidated"
FROM pg_constraint WHERE conrelid = to_regclass('${LATER_TABLE}') AND conname = '${LATER_CHECK}'`;

/**
 * Turns `LATER_TABLE` into the table of a month and creates an empty `LATER_TABLE`, without moving rows or reading any under a
 * lock. The next call continues an interrupted run.
 * @param client not in a transaction
 * @returns the table's name, or null if another process is changing the layout
 * @throws SQLSTATE 55P03 after a lock timeout
 */
export async function convertLater(client: pg.ClientBase, now: Date, lockTimeoutMs: number): Promise<string | null> {
  const runStep = <T>(work: (from: string) => Promise<T>): Promise<T | null> =>
    inLockingTransaction(client, lockTimeoutMs, async () => {
      if (!(await tryLockLayout(client))) return null;
      const layout = await readLayout(client);
      if (layout.kind !== 'months') return null;
      return await work(lowestIdAt(endOfMonths(layout.partitions)));
    });
  const check = await runStep((from) => addBorderCheck(client, from, now));
  if (check === null) return null;
  if (!check.isValidated) {
    await runStep(async () => {
      await client.query(`SET LOCAL statement_timeout = ${VALIDATION_TIMEOUT_MS}`);
      const text = `ALTER TABLE ${LATER_TABLE} VALIDATE CONSTRAINT ${LATER_CHECK}`;
      await client.query({ text, patienceMs: VALIDATION_TIMEOUT_MS } as pg.QueryConfig);
    });
  }
  return await runStep((from) => swapTables(client, from));
}

interface BorderCheck {
  border: string;
  isValidated: boolean;
}

async function readBorderCheck(client: pg.ClientBase): Promise<BorderCheck | null> {
  const { rows } = await client.query<BorderCheck>(READ_CHECK);
  return rows[0] ?? null;
}

async function addBorderCheck(client: pg.ClientBase, from: string, now: Date): Promise<BorderCheck> {
  const existing = await readBorderCheck(client);
  if (existing && !isBorderNear(existing.border, now)) return existing;
  const border = lowestIdAt(await firstMonthAfter(client, LATER_TABLE, now));
  await client.query(`ALTER TABLE ${LATER_TABLE} DROP CONSTRAINT IF EXISTS ${LATER_CHECK}`);
  await client.query(
    `ALTER TABLE ${LATER_TABLE} ADD CONSTRAINT ${LATER_CHECK} CHECK (id >= '${from}' AND id < '${border}') NOT VALID`,
  );
  return { border, isValidated: false };
}

/** @returns null if the constraint is missing or not validated, because another process was faster */
async function swapTables(client: pg.ClientBase, from: string): Promise<string | null> {
  const check = await readBorderCheck(client);
  if (!check?.isValidated) return null;
  const { border } = check;
  const [month] = listMonthsBetween(readIdTime(from), startOfMonth(readIdTime(from), 1));
  if (month === undefined) return null;
  const storage = await readStorage(client, LATER_TABLE);
  await client.query(`ALTER TABLE messages DETACH PARTITION ${LATER_TABLE}`);
  await renameTable(client, LATER_TABLE, month.name);
  await client.query(
    `ALTER TABLE messages ATTACH PARTITION ${month.name} FOR VALUES FROM ('${from}') TO ('${border}')`,
  );
  await client.query(`ALTER TABLE ${month.name} DROP CONSTRAINT ${LATER_CHECK}`);
  await createLater(client, border, storage);
  return month.name;
}
