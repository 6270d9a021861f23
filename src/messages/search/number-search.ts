import type pg from 'pg';
import { lowestIdAt, readIdTime } from '../../platform/ids.js';
import type { IdRange, MessageFilter } from './list-store.js';
import { findFinal, findOpen, readBorders } from './number-store.js';

/** A number with more open messages than this is probably not a person's, so the caller reads the newest rows instead. */
const MAX_OPEN_MESSAGES = 2_000;
const STEP_ROWS = 1_000;
const PAGE_ROWS = 20_000;

/** IDs are sorted newest first, and `next` is null at the end. */
export interface PageOfIds {
  ids: string[];
  next: string | null;
}

/**
 * Finds messages to a number by two indexes, of which one contains open messages and the other final messages. Open messages
 * are read first, so that a message that becomes final between the two queries is found twice rather than missed.
 * @returns null if the number has so many open messages that reading the newest rows is faster
 */
export async function findByNumber(
  pool: pg.Pool,
  filter: MessageFilter,
  requestedRange: IdRange,
  limit: number,
): Promise<PageOfIds | null> {
  const borders = await readBorders(pool);
  if (borders === null) return { ids: [], next: null };
  const range = {
    floor: requestedRange.floor > borders.first ? requestedRange.floor : borders.first,
    // The ceiling is the next higher ID, because it is exclusive.
    ceiling: requestedRange.ceiling <= borders.last ? requestedRange.ceiling : nextHigherId(borders.last),
  };
  if (range.ceiling <= range.floor) return { ids: [], next: null };
  const openRows = await findOpen(pool, filter, range, MAX_OPEN_MESSAGES + 1);
  if (openRows.length > MAX_OPEN_MESSAGES) return null;

  const finalIds: string[] = [];
  let ceiling: string | null = range.ceiling;
  for (let examined = 0; ceiling !== null && examined < PAGE_ROWS && finalIds.length < limit; examined += STEP_ROWS) {
    const rows = await findFinal(borders, pool, filter, { floor: range.floor, ceiling }, STEP_ROWS);
    finalIds.push(...rows.filter(({ matches }) => matches).map(({ id }) => id));
    ceiling = rows.length === STEP_ROWS ? (rows.at(-1)?.id ?? null) : null;
  }
  const nextCeiling = ceiling;
  const openIds = openRows
    .filter(({ id, matches }) => matches && (nextCeiling === null || id >= nextCeiling))
    .map(({ id }) => id);
  const ids = [...new Set([...openIds, ...finalIds])].sort((a, b) => (a < b ? 1 : -1));
  if (ids.length > limit) return { ids: ids.slice(0, limit), next: ids[limit - 1] as string };
  return { ids, next: nextCeiling };
}

function nextHigherId(id: string): string {
  return lowestIdAt(new Date(readIdTime(id).getTime() + 1));
}
