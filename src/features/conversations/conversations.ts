import type pg from 'pg';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { readInTransaction } from '../../platform/store/connections/pool.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { MIN_INDEXED_TERM_LENGTH, measureShortestText } from '../contacts/search/term-sql.js';
import {
  beginSnapshot,
  type ConversationCursor,
  type ConversationScope,
  hasMessage,
  type ListedConversation,
  lockConversation,
  markInboundRead,
  type Page,
  readConversationPage,
  readConversationsAfter,
} from './conversation-store.js';
import { WINDOW_MS } from './window.js';

export interface ConversationOptions {
  pool: pg.Pool;
  clock: Clock;
}

export interface ConversationQuery {
  unread?: boolean;
  windowOpen?: boolean;
  search?: string;
}

/** The total is exact, so a search that matches many of a million conversations takes a second or two. */
export function listConversations(
  options: ConversationOptions,
  scope: ConversationScope,
  query: ConversationQuery,
  page: Page,
): Promise<{ conversations: ListedConversation[]; total: number }> {
  return readInTransaction(options.pool, beginSnapshot, (client) =>
    readConversationPage(client, scope, toFilter(options, query), page),
  );
}

/**
 * Returns no total, so that deep pages cost no more than the first.
 * @param page `after` is the `next` of the previous page, or null to start with the newest.
 * @returns `next` is null on the last page.
 */
export async function listConversationsAfter(
  options: ConversationOptions,
  scope: ConversationScope,
  query: ConversationQuery,
  { limit, after }: { limit: number; after: ConversationCursor | null },
): Promise<{ conversations: ListedConversation[]; next: ConversationCursor | null }> {
  const page = { limit: limit + 1, after };
  const rows = await readInTransaction(options.pool, beginSnapshot, (client) =>
    readConversationsAfter(client, scope, toFilter(options, query), page),
  );
  const conversations = rows.slice(0, limit);
  return { conversations, next: rows.length > limit ? (conversations.at(-1) ?? null) : null };
}

function toFilter({ clock }: ConversationOptions, { unread, windowOpen, search }: ConversationQuery) {
  const since = new Date(clock.now().getTime() - WINDOW_MS);
  return {
    unread,
    window: windowOpen === undefined ? undefined : { open: windowOpen, since },
    search: search ? { term: search, usesIndex: measureShortestText(search) >= MIN_INDEXED_TERM_LENGTH } : undefined,
  };
}

/**
 * Returns the conversation's ID, or null if the conversation is unknown.
 * @param upTo ID of the last message that was read, in either direction, or null for all messages.
 * @throws {AppError} NOT_FOUND if the message does not belong to the conversation
 */
export async function markConversationRead(
  { pool }: { pool: Connection },
  scope: ConversationScope,
  id: string,
  upTo: string | null,
): Promise<string | null> {
  return await withTransaction(pool, async (client) => {
    const conversationId = await lockConversation(client, scope, id);
    if (conversationId === null) return null;
    if (upTo !== null && !(await hasMessage(client, conversationId, upTo))) {
      throw new AppError('NOT_FOUND', 'The conversation has no message with this upTo.');
    }
    await markInboundRead(client, conversationId, upTo);
    return conversationId;
  });
}
