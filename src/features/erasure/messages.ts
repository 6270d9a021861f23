import type pg from 'pg';
import { filterForAccount } from '../../messages/search/list-store.js';
import { findFinal, findOpen } from '../../messages/search/number-store.js';
import { FIRST_ID, LAST_ID } from '../../platform/ids.js';
import { blankMessages, findBorders } from './messages-store.js';
import type { Person } from './person.js';
import { place, SLICE_ROWS } from './place.js';

/** More than one person's messages are under way with carriers at once. */
const MOST_SENT = 100_000;

/**
 * Messages to the number that are with their carriers for good: their text and the number go, what was charged stays.
 * They are found by the indexes of numbers, an account at a time. Those that may still be sent are ended before.
 */
export const messages = place<string>('messages', {
  find: async function* (pool, person) {
    const borders = await findBorders(pool);
    if (borders === null) return;
    for (const accountId of person.accountIds) yield* ofAccount(pool, person, accountId, borders.first);
  },
  erase: (client, person, ids) => blankMessages(client, person.callingCode, ids),
});

async function* ofAccount(
  pool: pg.Pool,
  { phone }: Person,
  accountId: string,
  first: string,
): AsyncGenerator<string[]> {
  const filter = { ...filterForAccount(accountId), recipient: phone };
  const sent = await findOpen(pool, filter, { floor: FIRST_ID, ceiling: LAST_ID }, MOST_SENT);
  const ids = sent.map(({ id }) => id).sort();
  for (let start = 0; start < ids.length; start += SLICE_ROWS) yield ids.slice(start, start + SLICE_ROWS);
  const seen = new Set(ids);
  // What settles in between is found by the second question; what a look has blanked is not.
  const borders = await findBorders(pool);
  if (borders === null) return;
  for (let ceiling: string | null = borders.above; ceiling !== null; ) {
    const rows = await findFinal(borders, pool, filter, { floor: first, ceiling }, SLICE_ROWS);
    const found = rows.map(({ id }) => id);
    yield found.filter((id) => !seen.has(id));
    ceiling = found.length === SLICE_ROWS ? (found.at(-1) ?? null) : null;
  }
}
