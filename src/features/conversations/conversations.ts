import type pg from 'pg';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { readInTransaction } from '../../platform/store/connections/pool.js';
import { type Connection, within } from '../../platform/store/within.js';
import { SHORTEST_KEYED_TERM, termLength } from '../contacts/search/term-sql.js';
import {
  beginReading,
  type ConversationPlace,
  type ConversationScope,
  hasMessage,
  type ListedConversation,
  lockConversation,
  type Page,
  readAfter,
  readPage,
  setRead,
} from './conversation-store.js';
import { WINDOW_MS } from './window.js';

export interface ConversationOptions {
  pool: pg.Pool;
  clock: Clock;
}

/** What a list of conversations is narrowed to; what is left out narrows nothing. */
export interface ConversationQuery {
  /** With messages that are not marked as read, or without any. */
  unread?: boolean;
  /** Whose contact free text may be sent to now, or not. */
  windowOpen?: boolean;
  /** A part of the contact's name, number, e-mail address, username or user id, as a search of contacts takes it. */
  search?: string;
}

/**
 * A channel's conversations, those with the newest message of either direction first. The total is exact: in a channel of
 * a million conversations a search that many of them match takes a second or two.
 */
export function listConversations(
  options: ConversationOptions,
  scope: ConversationScope,
  query: ConversationQuery,
  page: Page,
): Promise<{ conversations: ListedConversation[]; total: number }> {
  return readInTransaction(options.pool, beginReading, (client) =>
    readPage(client, scope, filterOf(options, query), page),
  );
}

/**
 * The same by key and without a total: a page costs the same however far down the list it is.
 * @param page `after`: where the page before ended; null: from the newest
 * @returns `next`: where this page ended; null on the last one
 */
export async function pageConversations(
  options: ConversationOptions,
  scope: ConversationScope,
  query: ConversationQuery,
  { limit, after }: { limit: number; after: ConversationPlace | null },
): Promise<{ conversations: ListedConversation[]; next: ConversationPlace | null }> {
  const page = { limit: limit + 1, after };
  const found = await readInTransaction(options.pool, beginReading, (client) =>
    readAfter(client, scope, filterOf(options, query), page),
  );
  const conversations = found.slice(0, limit);
  return { conversations, next: found.length > limit ? (conversations.at(-1) ?? null) : null };
}

function filterOf({ clock }: ConversationOptions, { unread, windowOpen, search }: ConversationQuery) {
  const since = new Date(clock.now().getTime() - WINDOW_MS);
  return {
    unread,
    window: windowOpen === undefined ? undefined : { open: windowOpen, since },
    search: search ? { term: search, byKeys: termLength(search) >= SHORTEST_KEYED_TERM } : undefined,
  };
}

/**
 * Marks what the contact of a conversation wrote as read: all of it, or up to a message.
 * @param upTo id of the last message that was read, of either direction; null: all
 * @returns the id of the conversation; null when the channel has none
 * @throws {AppError} NOT_FOUND when the message is none of the conversation
 */
export async function markRead(
  { pool }: { pool: Connection },
  scope: ConversationScope,
  id: string,
  upTo: string | null,
): Promise<string | null> {
  return await within(pool, async (client) => {
    const found = await lockConversation(client, scope, id);
    if (found === null) return null;
    if (upTo !== null && !(await hasMessage(client, found, upTo))) {
      throw new AppError('NOT_FOUND', 'The conversation has no message with this upTo.');
    }
    await setRead(client, found, upTo);
    return found;
  });
}
