import type pg from 'pg';
import type { Message, PrismaClient } from '../../platform/generated/prisma/client.js';
import { FIRST_ID, LAST_ID, lowestIdAt, timeOfId } from '../../platform/ids.js';
import { findInStretch, findNewest, floorOf, type MessageFilter, type Stretch } from './list-store.js';
import { findToNumber, type PageOfIds } from './to-number.js';

/** Rows that are looked at together, and that one page looks at altogether. */
const STRETCH_ROWS = 5_000;
const PAGE_ROWS = 50_000;
/** A commit takes less from the ids of its messages to its line in the ledger. */
const COMMIT_MS = 60_000;
/** By how much the time of a message and that in its id may differ. */
const CLOCK_MS = 60_000;

export interface ListMessagesOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'message'>;
}

export interface MessagePage {
  /** The newest first. */
  messages: Message[];
  /** Where the next page begins: it holds what is older than this id. Null when nothing is left to look at. */
  next: string | null;
}

/**
 * A page of an account's messages. Those to one number are found by its indexes (to-number.ts), those with a reference by
 * theirs. For all else the table of all accounts' messages has no index, so it is read backwards, in stretches; the
 * account's ledger tells which stretches hold nothing of it. A page looks at PAGE_ROWS rows at the most, so it takes a
 * bounded time however large the table is: it may be short, even empty, and yet not be the last.
 * @param before only messages older than this id; null: from the newest
 */
export async function listMessages(
  { pool, prisma }: ListMessagesOptions,
  filter: MessageFilter,
  { before, limit }: { before: string | null; limit: number },
): Promise<MessagePage> {
  const { createdFrom, createdTo } = filter;
  const floor = createdFrom ? lowestIdAt(new Date(createdFrom.getTime() - CLOCK_MS)) : FIRST_ID;
  const newest = createdTo ? lowestIdAt(new Date(createdTo.getTime() + CLOCK_MS)) : LAST_ID;
  const ceiling = before !== null && before < newest ? before : newest;
  const byNumber = filter.recipient !== null && filter.reference === null;
  const { ids, next } =
    (byNumber ? await findToNumber(pool, filter, { floor, ceiling }, limit) : null) ??
    (await readBackwards(pool, filter, { floor, ceiling }, limit));
  const messages = ids.length > 0 ? await prisma.message.findMany({ where: { id: { in: ids } } }) : [];
  return { messages: messages.sort((a, b) => (a.id < b.id ? 1 : -1)), next };
}

async function readBackwards(
  pool: pg.Pool,
  filter: MessageFilter,
  stretch: Stretch,
  limit: number,
): Promise<PageOfIds> {
  const { floor } = stretch;
  const ids: string[] = [];
  let ceiling: string | null = stretch.ceiling;
  for (let looked = 0; ceiling !== null && looked < PAGE_ROWS && ids.length < limit; looked += STRETCH_ROWS) {
    if (filter.reference === null) ceiling = await skipOthers(pool, filter.accountId, ceiling);
    if (ceiling === null || ceiling <= floor) {
      ceiling = null;
      break;
    }
    const lowest = await floorOf(pool, filter, { floor, ceiling }, STRETCH_ROWS);
    ids.push(...(await findInStretch(pool, filter, { floor: lowest ?? floor, ceiling }, limit - ids.length)));
    ceiling = ids.length === limit ? (ids.at(-1) as string) : lowest;
  }
  return { ids, next: ceiling };
}

/** The highest id below which the account may have a message, not above the ceiling; null when it has none. */
async function skipOthers(pool: pg.Pool, accountId: string, ceiling: string): Promise<string | null> {
  const reach = ceiling === LAST_ID ? LAST_ID : lowestIdAt(new Date(timeOfId(ceiling).getTime() + COMMIT_MS));
  const { line, echo } = await findNewest(pool, accountId, reach);
  const ends = [line, echo && lowestIdAt(new Date(timeOfId(echo).getTime() + 1))].filter((end) => end !== null);
  const end = ends.sort().at(-1);
  if (end === undefined) return null;
  return end < ceiling ? end : ceiling;
}
