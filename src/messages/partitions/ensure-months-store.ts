import type pg from 'pg';
import { inLockingTransaction } from '../../platform/store/migrations/contention.js';
import { convertLater, isLaterCrowded } from './later-store.js';
import { BORDER_CHECK, endOfMonths, LATER_CHECK, LATER_TABLE, readLayout } from './layout-store.js';
import { endOfNeededMonths, listMonthsBetween } from './months.js';
import { createMonths, isBorderNear, readStorage, tryLockLayout } from './months-store.js';

/** Longest time that sending or accepting a message may wait for a lock. */
const LOCK_TIMEOUT_MS = 300;

/**
 * Creates the tables of the coming months. Messages already in `LATER_TABLE`, from a clock that is ahead, are moved; if there
 * are many, `LATER_TABLE` itself becomes the table of a month. If `messages` was prepared for division but never divided,
 * removes the check constraint before new IDs violate it.
 * @param client not in a transaction
 * @param budgetMs no further month is started after this time
 * @returns names of the created tables
 * @throws SQLSTATE 55P03 if a lock could not be acquired
 */
export async function ensureMonths(client: pg.ClientBase, now: Date, budgetMs = LOCK_TIMEOUT_MS): Promise<string[]> {
  const created: string[] = [];
  const start = performance.now();
  do {
    const layout = await readLayout(client);
    if (layout.kind === 'plain' && layout.border && isBorderNear(layout.border.id, now)) await dropBorderCheck(client);
    if (layout.kind !== 'months' || endOfMonths(layout.partitions) >= endOfNeededMonths(now)) break;
    const name = (await isLaterCrowded(client))
      ? await convertLater(client, now, LOCK_TIMEOUT_MS)
      : await createNextMonth(client, now);
    if (name === null) break;
    created.push(name);
  } while (performance.now() - start < budgetMs);
  return created;
}

async function dropBorderCheck(client: pg.ClientBase): Promise<void> {
  await inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    if (!(await tryLockLayout(client)) || (await readLayout(client)).kind !== 'plain') return;
    await client.query(`ALTER TABLE messages DROP CONSTRAINT IF EXISTS ${BORDER_CHECK}`);
  });
}

/** Resolves with null if another process is changing the layout. */
function createNextMonth(client: pg.ClientBase, now: Date): Promise<string | null> {
  return inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    if (!(await tryLockLayout(client))) return null;
    const layout = await readLayout(client);
    const [month] =
      layout.kind === 'months' ? listMonthsBetween(endOfMonths(layout.partitions), endOfNeededMonths(now)) : [];
    if (month === undefined) return null;
    await client.query(`ALTER TABLE messages DETACH PARTITION ${LATER_TABLE}`);
    await client.query(`ALTER TABLE ${LATER_TABLE} DROP CONSTRAINT IF EXISTS ${LATER_CHECK}`);
    await createMonths(client, [month], await readStorage(client, LATER_TABLE));
    await client.query(
      'WITH moved AS (DELETE FROM messages_later WHERE id < $1 RETURNING *) INSERT INTO messages SELECT * FROM moved',
      [month.to],
    );
    await client.query(
      `ALTER TABLE messages ATTACH PARTITION ${LATER_TABLE} FOR VALUES FROM ('${month.to}') TO (MAXVALUE)`,
    );
    return month.name;
  });
}
