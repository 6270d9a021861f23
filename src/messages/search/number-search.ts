import type pg from 'pg';
import { lowestIdAt, readIdTime } from '../../platform/ids.js';
import type { MessageFilter, Stretch } from './list-store.js';
import { findFinal, findOpen, readBorders } from './number-store.js';

/** With more open messages, the search is not for one person, and the caller reads the newest rows instead. */
const MAX_OPEN = 2_000;
const STEP_ROWS = 1_000;
const PAGE_ROWS = 20_000;

/** Newest first. Null at the end. */
export interface PageOfIds {
  ids: string[];
  next: string | null;
}

/**
 * Finds messages to a number by its two indexes. Open messages are read first: a message that becomes final in between
 * is then found twice, not missed.
 * @returns null if the number has so many open messages that reading the newest rows is faster
 */
export async function findByNumber(
  pool: pg.Pool,
  filter: MessageFilter,
  requested: Stretch,
  limit: number,
): Promise<PageOfIds | null> {
  const borders = await readBorders(pool);
  if (borders === null) return { ids: [], next: null };
  const stretch = {
    floor: requested.floor > borders.first ? requested.floor : borders.first,
    // One above, because the ceiling is exclusive.
    ceiling: requested.ceiling <= borders.last ? requested.ceiling : idAbove(borders.last),
  };
  if (stretch.ceiling <= stretch.floor) return { ids: [], next: null };
  const open = await findOpen(pool, filter, stretch, MAX_OPEN + 1);
  if (open.length > MAX_OPEN) return null;

  const final: string[] = [];
  let ceiling: string | null = stretch.ceiling;
  for (let looked = 0; ceiling !== null && looked < PAGE_ROWS && final.length < limit; looked += STEP_ROWS) {
    const rows = await findFinal(borders, pool, filter, { floor: stretch.floor, ceiling }, STEP_ROWS);
    final.push(...rows.filter(({ wanted }) => wanted).map(({ id }) => id));
    ceiling = rows.length === STEP_ROWS ? (rows.at(-1)?.id ?? null) : null;
  }
  const reached = ceiling;
  const fresh = open.filter(({ id, wanted }) => wanted && (reached === null || id >= reached)).map(({ id }) => id);
  const ids = [...new Set([...fresh, ...final])].sort((a, b) => (a < b ? 1 : -1));
  if (ids.length > limit) return { ids: ids.slice(0, limit), next: ids[limit - 1] as string };
  return { ids, next: reached };
}

function idAbove(id: string): string {
  return lowestIdAt(new Date(readIdTime(id).getTime() + 1));
}
