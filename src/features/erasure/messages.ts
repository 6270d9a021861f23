import type pg from 'pg';
import { createAccountFilter } from '../../messages/search/list-store.js';
import { findFinal, findOpen } from '../../messages/search/number-store.js';
import { FIRST_ID, LAST_ID } from '../../platform/ids.js';
import { blankMessages, findBorders } from './messages-store.js';
import type { Person } from './person.js';
import { makeTrace, SLICE_ROWS } from './trace.js';

const MAX_OPEN_MESSAGES = 100_000;

/** Messages submitted to carriers. Unsent messages were already canceled by `cancelPendingWork`. */
export const messages = makeTrace<string>('messages', {
  find: async function* (pool, person) {
    const borders = await findBorders(pool);
    if (borders === null) return;
    for (const accountId of person.accountIds) yield* findInAccount(pool, person, accountId, borders.first);
  },
  erase: (client, person, ids) => blankMessages(client, person.callingCode, ids),
});

async function* findInAccount(
  pool: pg.Pool,
  { address }: Person,
  accountId: string,
  firstId: string,
): AsyncGenerator<string[]> {
  const filter = { ...createAccountFilter(accountId), recipient: address };
  const openMessages = await findOpen(pool, filter, { floor: FIRST_ID, ceiling: LAST_ID }, MAX_OPEN_MESSAGES);
  const openIds = openMessages.map(({ id }) => id).sort();
  for (let start = 0; start < openIds.length; start += SLICE_ROWS) yield openIds.slice(start, start + SLICE_ROWS);
  const seen = new Set(openIds);
  // Messages that became final since the query for open messages are found below, unless they are already erased.
  const borders = await findBorders(pool);
  if (borders === null) return;
  for (let ceiling: string | null = borders.above; ceiling !== null; ) {
    const rows = await findFinal(borders, pool, filter, { floor: firstId, ceiling }, SLICE_ROWS);
    const ids = rows.map(({ id }) => id);
    yield ids.filter((id) => !seen.has(id));
    ceiling = ids.length === SLICE_ROWS ? (ids.at(-1) ?? null) : null;
  }
}
