import type pg from 'pg';
import { lowestIdAt, timeOfId } from '../../platform/ids.js';
import { inLockingTransaction } from '../../platform/store/migrations/contention.js';
import { endOfMonths, LATER, LATER_CHECK, readLayout } from './layout-store.js';
import { monthStart, monthsBetween } from './months.js';
import { firstMonthAfter, isNear, lockLayout, makeLater, readStorage } from './months-store.js';
import { renameTable } from './table-store.js';

/** So many rows are moved under a lock in some hundredths of a second. */
const MOST_MOVED = 2_000;
/** All rows of a large table may be looked at. */
const READING_MS = 3_600_000;

/** Whether there is more in the table of all later ids than may be moved while everybody waits. */
export async function isCrowded(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ crowded: boolean }>(
    `SELECT count(*) > ${MOST_MOVED} AS crowded FROM (SELECT FROM ${LATER} LIMIT ${MOST_MOVED + 1}) AS found`,
  );
  return rows[0]?.crowded === true;
}

/** A promise of `LATER` that its ids end at a border. */
const READ_CHECK = `
SELECT substring(pg_get_constraintdef(oid) FROM $$id < '([0-9a-f-]{36})'$$) AS border, convalidated AS "isValidated"
FROM pg_constraint WHERE conrelid = to_regclass('${LATER}') AND conname = '${LATER_CHECK}'`;

/**
 * Makes of the table of all later ids that of the months until a border ahead, and a new one for what is later still. No row is
 * moved, and nothing is read under a lock: as where a table is divided, it first promises that its ids end there, then all
 * rows are looked at for that, then it is attached anew. Killed in between, the next call goes on.
 * @param client in no transaction
 * @returns the name of the table, that of its first month; null where others change which tables there are
 * @throws with 55P03 where a lock was not to be had, with a sentence where an id lies a year ahead
 */
export async function closeLater(client: pg.ClientBase, now: Date, lockTimeoutMs: number): Promise<string | null> {
  const step = <T>(work: (from: string) => Promise<T>): Promise<T | null> =>
    inLockingTransaction(client, lockTimeoutMs, async () => {
      if (!(await lockLayout(client))) return null;
      const layout = await readLayout(client);
      if (layout.kind !== 'months') return null;
      return await work(lowestIdAt(endOfMonths(layout.partitions)));
    });
  const promised = await step((from) => promise(client, from, now));
  if (promised === null) return null;
  if (!promised.isValidated) {
    await step(async () => {
      await client.query(`SET LOCAL statement_timeout = ${READING_MS}`);
      const text = `ALTER TABLE ${LATER} VALIDATE CONSTRAINT ${LATER_CHECK}`;
      await client.query({ text, patienceMs: READING_MS } as pg.QueryConfig);
    });
  }
  return await step((from) => swap(client, from));
}

interface Promised {
  border: string;
  isValidated: boolean;
}

async function readPromise(client: pg.ClientBase): Promise<Promised | null> {
  const { rows } = await client.query<Promised>(READ_CHECK);
  return rows[0] ?? null;
}

async function promise(client: pg.ClientBase, from: string, now: Date): Promise<Promised> {
  const found = await readPromise(client);
  if (found && !isNear(found.border, now)) return found;
  const border = lowestIdAt(await firstMonthAfter(client, LATER, now));
  await client.query(`ALTER TABLE ${LATER} DROP CONSTRAINT IF EXISTS ${LATER_CHECK}`);
  await client.query(
    `ALTER TABLE ${LATER} ADD CONSTRAINT ${LATER_CHECK} CHECK (id >= '${from}' AND id < '${border}') NOT VALID`,
  );
  return { border, isValidated: false };
}

/** @returns null where the promise is gone or unproven: others were quicker */
async function swap(client: pg.ClientBase, from: string): Promise<string | null> {
  const promised = await readPromise(client);
  if (!promised?.isValidated) return null;
  const { border } = promised;
  const [month] = monthsBetween(timeOfId(from), monthStart(timeOfId(from), 1));
  if (month === undefined) return null;
  const storage = await readStorage(client, LATER);
  await client.query(`ALTER TABLE messages DETACH PARTITION ${LATER}`);
  await renameTable(client, LATER, month.name);
  await client.query(
    `ALTER TABLE messages ATTACH PARTITION ${month.name} FOR VALUES FROM ('${from}') TO ('${border}')`,
  );
  await client.query(`ALTER TABLE ${month.name} DROP CONSTRAINT ${LATER_CHECK}`);
  await makeLater(client, border, storage);
  return month.name;
}
