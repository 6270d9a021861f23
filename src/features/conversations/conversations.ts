import type pg from 'pg';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import { inTransaction } from '../../platform/store/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import { SHORTEST_KEYED_TERM, termLength } from '../contacts/search/term-sql.js';
import {
  beginReading,
  type ConversationScope,
  hasMessage,
  type ListedConversation,
  lockConversation,
  type Page,
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
  /** A part of the contact's name, number or e-mail address, as a search of contacts takes it. */
  search?: string;
}

/**
 * A channel's conversations, those with the newest message of either direction first. The total is exact: in a channel of
 * a million conversations a search that many of them match takes a second or two.
 */
export async function listConversations(
  { pool, clock }: ConversationOptions,
  scope: ConversationScope,
  { unread, windowOpen, search }: ConversationQuery,
  page: Page,
): Promise<{ conversations: ListedConversation[]; total: number }> {
  const since = new Date(clock.now().getTime() - WINDOW_MS);
  const filter = {
    unread,
    window: windowOpen === undefined ? undefined : { open: windowOpen, since },
    search: search ? { term: search, byKeys: termLength(search) >= SHORTEST_KEYED_TERM } : undefined,
  };
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await beginReading(client);
    return await readPage(client, scope, filter, page);
  } finally {
    // Nothing was written: to end the transaction is all.
    await client.query('ROLLBACK').catch((error: Error) => {
      broken = error;
    });
    client.release(broken);
  }
}

/**
 * Marks what the contact of a conversation wrote as read: all of it, or up to a message.
 * @param upTo id of the last message that was read, of either direction; null: all
 * @returns whether the channel has the conversation
 * @throws {AppError} NOT_FOUND when the message is none of the conversation
 */
export async function markRead(
  { pool }: { pool: pg.Pool },
  scope: ConversationScope,
  id: string,
  upTo: string | null,
): Promise<boolean> {
  return await repeated(() =>
    inTransaction(pool, async (client) => {
      if (!(await lockConversation(client, scope, id))) return false;
      if (upTo !== null && !(await hasMessage(client, id, upTo))) {
        throw new AppError('NOT_FOUND', 'The conversation has no message with this upTo.');
      }
      await setRead(client, id, upTo);
      return true;
    }),
  );
}
