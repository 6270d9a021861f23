import type pg from 'pg';
import {
  type Change,
  type ChangePage,
  type ChangePosition,
  readChanges,
} from '../../messages/changes/changes-store.js';
import { CHANGES_DAYS, CURSOR_DAYS } from '../../messages/changes/sweep-store.js';
import type { MessageStatus } from '../../messages/message-status.js';
import type { Message, PrismaClient } from '../../platform/generated/prisma/client.js';
import { findInboundsByIds, type InboundEntry } from '../inbound/list-store.js';
import { type ChangeCursor, createExpiredCursorError, decodeCursor, encodeCursor } from './cursor.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const BEGINNING: ChangePosition = { xid: '0', id: '0', no: 0 };
/** A position after every possible transaction. */
const END: ChangePosition = { xid: '9223372036854775807', id: '0', no: 0 };

export interface ListChangesOptions {
  pool: pg.Pool;
  prisma: Pick<PrismaClient, 'message'>;
}

/** A change together with the current state of its message. */
export type ChangeWithMessage =
  | { type: 'message'; message: Message }
  | { type: 'status'; message: Message; status: MessageStatus }
  | { type: 'inbound'; inbound: InboundEntry };

export interface ChangesResponse {
  /** In commit order. */
  changes: ChangeWithMessage[];
  cursor: string;
  hasMore: boolean;
  /** Time before which changes are not listed. */
  since: Date;
}

/**
 * Lists an account's inbound messages and the changes of its Surface A messages. A change becomes visible once all
 * earlier transactions have ended, so no change appears before a cursor that was already returned.
 * @param after A cursor, `now` for only future changes, or null to start with the oldest change.
 * @throws {AppError} INVALID_REQUEST for a malformed cursor, or GONE for a cursor that is too old or from another store
 */
export async function listChanges(
  { pool, prisma }: ListChangesOptions,
  accountId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<ChangesResponse> {
  const cursor = after === null || after === 'now' ? null : decodeCursor(after);
  const position = after === 'now' ? END : (cursor ?? BEGINNING);
  // A request without a cursor omits changes so old that the cursor to the next page would already have expired.
  const days = cursor ? null : CHANGES_DAYS;
  const page = await readChanges(pool, accountId, position, { limit: limit + 1, days });
  if (cursor) checkCursor(cursor, page);
  const oldest = new Date(page.now.getTime() - CHANGES_DAYS * DAY_MS);
  const hasMore = page.changes.length > limit;
  const changes = page.changes.slice(0, limit);
  const lastPosition = hasMore ? (changes.at(-1) as Change) : { xid: page.settledXid, id: '0', no: 0, at: page.now };
  return {
    changes: await attachMessages({ pool, prisma }, accountId, changes),
    cursor: encodeCursor({ ...lastPosition, store: page.store }),
    hasMore,
    since: page.beganAt > oldest ? page.beganAt : oldest,
  };
}

function checkCursor({ store, xid, at }: ChangeCursor, page: ChangePage): void {
  if (at.getTime() < page.now.getTime() - CURSOR_DAYS * DAY_MS)
    throw createExpiredCursorError(`is older than the ${CHANGES_DAYS} days for which changes are kept`);
  if (store !== page.store || BigInt(xid) > BigInt(page.settledXid))
    throw createExpiredCursorError('belongs to another store');
}

/** Omits deleted messages. */
async function attachMessages(
  { pool, prisma }: ListChangesOptions,
  accountId: string,
  changes: readonly Change[],
): Promise<ChangeWithMessage[]> {
  const messageIds = (isInbound: boolean) => [
    ...new Set(changes.filter(({ kind }) => (kind === 'inbound') === isInbound).map(({ messageId }) => messageId)),
  ];
  const [sent, received] = [messageIds(false), messageIds(true)];
  const [messages, inbounds] = await Promise.all([
    sent.length > 0 ? prisma.message.findMany({ where: { accountId, id: { in: sent } } }) : [],
    received.length > 0 ? findInboundsByIds(pool, accountId, received) : [],
  ]);
  const messagesById = new Map(messages.map((message) => [message.id, message]));
  const inboundsById = new Map(inbounds.map((inbound) => [inbound.id, inbound]));
  return changes.flatMap(({ kind, messageId, status }): ChangeWithMessage[] => {
    const message = messagesById.get(messageId);
    const inbound = inboundsById.get(messageId);
    if (inbound) return [{ type: 'inbound', inbound }];
    if (!message) return [];
    if (kind === 'status' && status) return [{ type: 'status', message, status }];
    return [{ type: 'message', message }];
  });
}
