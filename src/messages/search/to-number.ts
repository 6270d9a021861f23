import type pg from 'pg';
import { lowestIdAt, timeOfId } from '../../platform/ids.js';
import type { MessageFilter, Stretch } from './list-store.js';
import { bordersOfStore, findSettled, findWaiting } from './number-store.js';

/** More messages to one number that are under way at once are no search for one person's messages any more. */
const MAX_WAITING = 2_000;
/** Settled messages to the number that are looked at together, and that one page looks at altogether. */
const STEP_ROWS = 1_000;
const PAGE_ROWS = 20_000;

/** Ids of a page, the newest first, and below which id the next one begins; null when nothing is left. */
export interface PageOfIds {
  ids: string[];
  next: string | null;
}

/**
 * A page of the messages to the number of a filter, by the two indexes that know it: of what is under way, and of what has
 * settled. It takes as long as the number has messages, however many the store has. First what is under way: what
 * settles between the two questions is found by both.
 * @returns null when so many messages to the number are under way that they are found faster by reading the newest rows
 */
export async function findToNumber(
  pool: pg.Pool,
  filter: MessageFilter,
  asked: Stretch,
  limit: number,
): Promise<PageOfIds | null> {
  const borders = await bordersOfStore(pool);
  if (borders === null) return { ids: [], next: null };
  const stretch = {
    floor: asked.floor > borders.first ? asked.floor : borders.first,
    // Below the ceiling: the newest is to be found as well.
    ceiling: asked.ceiling <= borders.last ? asked.ceiling : above(borders.last),
  };
  if (stretch.ceiling <= stretch.floor) return { ids: [], next: null };
  const waiting = await findWaiting(pool, filter, stretch, MAX_WAITING + 1);
  if (waiting.length > MAX_WAITING) return null;

  const settled: string[] = [];
  let ceiling: string | null = stretch.ceiling;
  for (let looked = 0; ceiling !== null && looked < PAGE_ROWS && settled.length < limit; looked += STEP_ROWS) {
    const rows = await findSettled(borders, pool, filter, { floor: stretch.floor, ceiling }, STEP_ROWS);
    settled.push(...rows.filter(({ wanted }) => wanted).map(({ id }) => id));
    ceiling = rows.length === STEP_ROWS ? (rows.at(-1)?.id ?? null) : null;
  }
  const reached = ceiling;
  const fresh = waiting.filter(({ id, wanted }) => wanted && (reached === null || id >= reached)).map(({ id }) => id);
  const ids = [...new Set([...fresh, ...settled])].sort((a, b) => (a < b ? 1 : -1));
  if (ids.length > limit) return { ids: ids.slice(0, limit), next: ids[limit - 1] as string };
  return { ids, next: reached };
}

/** A ceiling above an id. */
function above(id: string): string {
  return lowestIdAt(new Date(timeOfId(id).getTime() + 1));
}
