import type pg from 'pg';
import { inLockingTransaction } from '../../platform/store/migrations/contention.js';
import { closeLater, isCrowded } from './later-store.js';
import { BORDER_CHECK, endOfMonths, LATER, LATER_CHECK, readLayout } from './layout-store.js';
import { madeUntil, monthsBetween } from './months.js';
import { isNear, lockLayout, makeMonths, readStorage } from './months-store.js';

/** Who sends and accepts waits no longer than this for a table that is being made, and it is tried again a minute later. */
const LOCK_TIMEOUT_MS = 300;

/**
 * Makes the tables of the months ahead where they are missing, each in a transaction of its own. What lies in `LATER` by then,
 * of a clock that runs ahead, is moved into them; where that is much, `LATER` becomes the table of these months instead. Where
 * a table was to be divided, and was not, the promise that its ids end at a border is taken back before they reach it. Waits for
 * nobody long: who asks again a minute later may have more luck.
 * @param client in no transaction
 * @param now business time
 * @param budgetMs after which no other month is begun: what is missing then is for another time
 * @returns the names of the tables that were made
 * @throws with 55P03 where a lock was not to be had
 */
export async function keepMonths(client: pg.ClientBase, now: Date, budgetMs = LOCK_TIMEOUT_MS): Promise<string[]> {
  const made: string[] = [];
  const start = performance.now();
  do {
    const layout = await readLayout(client);
    if (layout.kind === 'plain' && layout.border && isNear(layout.border.id, now)) await takeBack(client);
    if (layout.kind !== 'months' || endOfMonths(layout.partitions) >= madeUntil(now)) break;
    const name = (await isCrowded(client))
      ? await closeLater(client, now, LOCK_TIMEOUT_MS)
      : await makeNext(client, now);
    if (name === null) break;
    made.push(name);
  } while (performance.now() - start < budgetMs);
  return made;
}

async function takeBack(client: pg.ClientBase): Promise<void> {
  await inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    if (!(await lockLayout(client)) || (await readLayout(client)).kind !== 'plain') return;
    await client.query(`ALTER TABLE messages DROP CONSTRAINT IF EXISTS ${BORDER_CHECK}`);
  });
}

/** Makes the first month that is missing. @returns its name; null where others change which tables there are */
function makeNext(client: pg.ClientBase, now: Date): Promise<string | null> {
  return inLockingTransaction(client, LOCK_TIMEOUT_MS, async () => {
    if (!(await lockLayout(client))) return null;
    const layout = await readLayout(client);
    const [month] = layout.kind === 'months' ? monthsBetween(endOfMonths(layout.partitions), madeUntil(now)) : [];
    if (month === undefined) return null;
    await client.query(`ALTER TABLE messages DETACH PARTITION ${LATER}`);
    await client.query(`ALTER TABLE ${LATER} DROP CONSTRAINT IF EXISTS ${LATER_CHECK}`);
    await makeMonths(client, [month], await readStorage(client, LATER));
    await client.query(
      'WITH moved AS (DELETE FROM messages_later WHERE id < $1 RETURNING *) INSERT INTO messages SELECT * FROM moved',
      [month.to],
    );
    await client.query(`ALTER TABLE messages ATTACH PARTITION ${LATER} FOR VALUES FROM ('${month.to}') TO (MAXVALUE)`);
    return month.name;
  });
}
