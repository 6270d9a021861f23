import type pg from 'pg';
import { type Change, type ChangePage, type ChangePlace, readChanges } from '../../messages/changes/changes-store.js';
import { CHANGES_DAYS, CURSOR_DAYS } from '../../messages/changes/sweep-store.js';
import type { MessageStatus } from '../../messages/message-status.js';
import type { Message, PrismaClient } from '../../platform/generated/prisma/client.js';
import { findInboundsByIds, type InboundEntry } from '../inbound/list-store.js';
import { type ChangeCursor, goneCursor, readCursor, writeCursor } from './cursor.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const BEGINNING: ChangePlace = { xid: '0', id: '0', no: 0 };
/** Behind every transaction that there can be. */
const END: ChangePlace = { xid: '9223372036854775807', id: '0', no: 0 };

export interface ListChangesOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'message'>;
}

/** Something that happened, with its message as it is now. */
export type ShownChange =
  | { type: 'message'; message: Message }
  | { type: 'status'; message: Message; status: MessageStatus }
  | { type: 'inbound'; inbound: InboundEntry };

export interface ChangesAnswer {
  /** In the order in which they were committed. */
  changes: ShownChange[];
  /** Where to go on from, also where nothing came. */
  cursor: string;
  /** More is there to be read at once. */
  hasMore: boolean;
  /** What happened before is not among the changes. */
  since: Date;
}

/**
 * What happened to an account's messages of Surface A, and what was written to it, after a cursor. Changes are told once
 * all transactions that began before theirs have ended, so nothing can ever come to stand behind a cursor.
 * @param after a cursor; `now` for one behind all that has happened; null: from the beginning of what is kept
 * @throws {AppError} INVALID_REQUEST for what is no cursor; GONE for one that is too old, or of another store
 */
export async function listChanges(
  { pool, prisma }: ListChangesOptions,
  accountId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<ChangesAnswer> {
  const from = after === null || after === 'now' ? null : readCursor(after);
  const place = after === 'now' ? END : (from ?? BEGINNING);
  // What is older is still there for cursors: a page that began with it would end in one that is too old to go on from.
  const days = from ? null : CHANGES_DAYS;
  const page = await readChanges(pool, accountId, place, { limit: limit + 1, days });
  if (from) checkCursor(from, page);
  const oldest = new Date(page.now.getTime() - CHANGES_DAYS * DAY_MS);
  const hasMore = page.changes.length > limit;
  const changes = page.changes.slice(0, limit);
  const last = hasMore ? (changes.at(-1) as Change) : { xid: page.settledXid, id: '0', no: 0, at: page.now };
  return {
    changes: await show({ pool, prisma }, accountId, changes),
    cursor: writeCursor({ ...last, store: page.store }),
    hasMore,
    since: page.beganAt > oldest ? page.beganAt : oldest,
  };
}

function checkCursor({ store, xid, at }: ChangeCursor, page: ChangePage): void {
  if (at.getTime() < page.now.getTime() - CURSOR_DAYS * DAY_MS)
    throw goneCursor(`is older than ${CHANGES_DAYS} days, for which changes are kept`);
  if (store !== page.store || BigInt(xid) > BigInt(page.settledXid)) throw goneCursor('is of another store');
}

/** Messages and inbound messages that were deleted since are left out. */
async function show(
  { pool, prisma }: ListChangesOptions,
  accountId: string,
  changes: readonly Change[],
): Promise<ShownChange[]> {
  const idsOf = (isInbound: boolean) => [
    ...new Set(changes.filter(({ kind }) => (kind === 'inbound') === isInbound).map(({ messageId }) => messageId)),
  ];
  const [sent, received] = [idsOf(false), idsOf(true)];
  const [messages, inbounds] = await Promise.all([
    sent.length > 0 ? prisma.message.findMany({ where: { accountId, id: { in: sent } } }) : [],
    received.length > 0 ? findInboundsByIds(pool, accountId, received) : [],
  ]);
  const messageOf = new Map(messages.map((message) => [message.id, message]));
  const inboundOf = new Map(inbounds.map((inbound) => [inbound.id, inbound]));
  return changes.flatMap(({ kind, messageId, status }): ShownChange[] => {
    const message = messageOf.get(messageId);
    const inbound = inboundOf.get(messageId);
    if (inbound) return [{ type: 'inbound', inbound }];
    if (!message) return [];
    if (kind === 'status' && status) return [{ type: 'status', message, status }];
    return [{ type: 'message', message }];
  });
}
