import type pg from 'pg';
import { FIRST_ID, LAST_ID, lowestIdAt } from '../../platform/ids.js';
import { findInbounds, findRowBelow, type InboundEntry, type InboundFilter } from './list-store.js';

const PAGE_ROWS = 20_000;
/** Tolerated difference between a row's time and the time in the row's ID. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

export interface InboundPage {
  entries: InboundEntry[];
  /** Value of `before` for the next page, or null on the last page. */
  next: string | null;
}

/**
 * Lists entries older than `before`. Searches at most PAGE_ROWS rows, so a page may be short or empty without being the
 * last page. A filter by sender uses its own index and has no such limit.
 */
export async function listInbound(
  { pool }: { pool: pg.Pool },
  filter: InboundFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<InboundPage> {
  const { accountId, from, receivedFrom, receivedTo } = filter;
  const floor = receivedFrom ? lowestIdAt(new Date(receivedFrom.getTime() - MAX_CLOCK_DIFFERENCE_MS)) : FIRST_ID;
  const newest = receivedTo ? lowestIdAt(new Date(receivedTo.getTime() + MAX_CLOCK_DIFFERENCE_MS)) : LAST_ID;
  const ceiling = before !== null && before < newest ? before : newest;
  const lowest = from === null ? await findRowBelow(pool, accountId, { floor, ceiling }, PAGE_ROWS) : null;
  const entries = await findInbounds(pool, filter, { floor: lowest ?? floor, ceiling }, limit);
  return { entries, next: entries.length === limit ? (entries.at(-1)?.id ?? null) : lowest };
}
