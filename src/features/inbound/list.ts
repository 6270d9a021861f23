import type pg from 'pg';
import { FIRST_ID, LAST_ID, lowestIdAt } from '../../platform/ids.js';
import { findInbounds, floorOfInbound, type InboundEntry, type InboundFilter } from './list-store.js';

/** Rows of the account that one page looks at. */
const PAGE_ROWS = 20_000;
/** By how much the time of a row and that in its id may differ. */
const CLOCK_MS = 60_000;

export interface InboundPage {
  /** The newest first. */
  entries: InboundEntry[];
  /** Where the next page begins: it holds what is older than this id. Null when nothing is left. */
  next: string | null;
}

/**
 * A page of what was written to the channels of an account. It looks at PAGE_ROWS of the account's rows at the most, so it
 * may be short, even empty, and yet not be the last. Those of one sender have an index of their own.
 * @param before only those older than this id; null: from the newest
 */
export async function listInbound(
  { pool }: { pool: pg.Pool },
  filter: InboundFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<InboundPage> {
  const { accountId, from, receivedFrom, receivedTo } = filter;
  const floor = receivedFrom ? lowestIdAt(new Date(receivedFrom.getTime() - CLOCK_MS)) : FIRST_ID;
  const newest = receivedTo ? lowestIdAt(new Date(receivedTo.getTime() + CLOCK_MS)) : LAST_ID;
  const ceiling = before !== null && before < newest ? before : newest;
  const lowest = from === null ? await floorOfInbound(pool, accountId, { floor, ceiling }, PAGE_ROWS) : null;
  const entries = await findInbounds(pool, filter, { floor: lowest ?? floor, ceiling }, limit);
  return { entries, next: entries.length === limit ? (entries.at(-1)?.id ?? null) : lowest };
}
