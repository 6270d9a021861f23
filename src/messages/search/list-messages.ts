import type pg from 'pg';
import type { Message, PrismaClient } from '../../platform/generated/prisma/client.js';
import { FIRST_ID, LAST_ID, lowestIdAt, readIdTime } from '../../platform/ids.js';
import { findFloor, findInRange, findNewest, type IdRange, type MessageFilter } from './list-store.js';
import { findByNumber, type PageOfIds } from './number-search.js';

const RANGE_ROWS = 5_000;
const PAGE_ROWS = 50_000;
/** Maximum time between assigning message IDs and writing the ledger line for the messages. */
const MAX_COMMIT_MS = 60_000;
/** Maximum difference between a message's time and the time in its ID. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

export interface ListMessagesOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'message'>;
}

export interface MessagePage {
  /** Newest first. */
  messages: Message[];
  /** Messages of the next page are older than this ID; null at the end. */
  next: string | null;
}

/**
 * Filters other than number and reference have no index, so the table is read backwards in ranges. A page examines at most
 * PAGE_ROWS rows, so a page may be short or even empty without being the last.
 * @param before lists only messages older than this ID, or from the newest if null
 */
export async function listMessages(
  { pool, prisma }: ListMessagesOptions,
  filter: MessageFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<MessagePage> {
  const { createdFrom, createdTo } = filter;
  const floor = createdFrom ? lowestIdAt(new Date(createdFrom.getTime() - MAX_CLOCK_DIFFERENCE_MS)) : FIRST_ID;
  const newest = createdTo ? lowestIdAt(new Date(createdTo.getTime() + MAX_CLOCK_DIFFERENCE_MS)) : LAST_ID;
  const ceiling = before !== null && before < newest ? before : newest;
  const searchesNumber = filter.recipient !== null && filter.reference === null;
  const { ids, next } =
    (searchesNumber ? await findByNumber(pool, filter, { floor, ceiling }, limit) : null) ??
    (await readBackwards(pool, filter, { floor, ceiling }, limit));
  const messages = ids.length > 0 ? await prisma.message.findMany({ where: { id: { in: ids } } }) : [];
  return { messages: messages.sort((a, b) => (a.id < b.id ? 1 : -1)), next };
}

async function readBackwards(pool: pg.Pool, filter: MessageFilter, range: IdRange, limit: number): Promise<PageOfIds> {
  const { floor } = range;
  const ids: string[] = [];
  let ceiling: string | null = range.ceiling;
  for (let examined = 0; ceiling !== null && examined < PAGE_ROWS && ids.length < limit; examined += RANGE_ROWS) {
    if (filter.reference === null) ceiling = await skipToAccount(pool, filter.accountId, ceiling);
    if (ceiling === null || ceiling <= floor) {
      ceiling = null;
      break;
    }
    const lowest = await findFloor(pool, filter, { floor, ceiling }, RANGE_ROWS);
    ids.push(...(await findInRange(pool, filter, { floor: lowest ?? floor, ceiling }, limit - ids.length)));
    ceiling = ids.length === limit ? (ids.at(-1) as string) : lowest;
  }
  return { ids, next: ceiling };
}

async function skipToAccount(pool: pg.Pool, accountId: string, ceiling: string): Promise<string | null> {
  const ledgerCeiling =
    ceiling === LAST_ID ? LAST_ID : lowestIdAt(new Date(readIdTime(ceiling).getTime() + MAX_COMMIT_MS));
  const { line, echo } = await findNewest(pool, accountId, ledgerCeiling);
  const upperBounds = [line, echo && lowestIdAt(new Date(readIdTime(echo).getTime() + 1))].filter(
    (end) => end !== null,
  );
  const upperBound = upperBounds.sort().at(-1);
  if (upperBound === undefined) return null;
  return upperBound < ceiling ? upperBound : ceiling;
}
