import type pg from 'pg';
import type { MessageStatus } from '../../messages/message-status.js';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/within.js';
import { asJoined } from '../contacts/identity/survivor-store.js';
import { BEGIN, FOR_COLLECTING, FOR_WALKING } from '../contacts/search/list-store.js';
import { type Bind, holdsTerm, mayHoldTerm } from '../contacts/search/term-sql.js';

export interface Page {
  limit: number;
  offset: number;
}

/** Whose conversations are asked for. */
export interface ConversationScope {
  accountId: string;
  channelId: string;
}

/** The newest message of a conversation, of either direction. */
export interface LastMessage {
  id: string;
  direction: 'inbound' | 'outbound';
  type: string;
  /** Its first `LAST_TEXT_LENGTH` characters. */
  text: string;
  /** Null for inbound messages. */
  status: MessageStatus | null;
  /** When it was accepted, or when the contact sent it: ISO 8601 as PostgreSQL writes it. */
  createdAt: string;
}

export interface ListedConversation {
  id: string;
  contactId: string;
  /** Null of one who is known by an id alone. */
  phone: string | null;
  userId: string | null;
  username: string | null;
  name: string;
  unreadCount: number;
  lastInboundAt: Date | null;
  lastMessageAt: Date;
  /** Null before the first message, and once old ones were deleted. */
  lastMessage: LastMessage | null;
  createdAt: Date;
}

/** Which conversations a list is about: all of the channel unless told. */
export interface ConversationFilter {
  /** With messages that are not marked as read, or without any. */
  unread?: boolean;
  /** Whose contact wrote after `since`, or did not. */
  window?: { open: boolean; since: Date };
  /** A part of the contact's name, number, e-mail address, username or user id. */
  search?: { term: string; byKeys: boolean };
}

/** A list shows as much of a text: a page may hold a thousand. */
export const LAST_TEXT_LENGTH = 500;

/** Ids of both tables are UUIDv7, so their order is that of arrival. */
const COLUMNS = `v.id, v.contact_id AS "contactId", c.phone, c.user_id AS "userId", c.username, c.name, v.unread_count AS "unreadCount",
  v.last_inbound_at AS "lastInboundAt", v.last_message_at AS "lastMessageAt", v.created_at AS "createdAt",
  (SELECT row_to_json(newest) FROM (
    (SELECT id, 'outbound' AS direction, coalesce(content->>'type', 'text') AS type,
            left(body, ${LAST_TEXT_LENGTH}) AS text, status::text AS status, created_at AS "createdAt"
     FROM messages WHERE conversation_id = v.id ORDER BY id DESC LIMIT 1)
    UNION ALL
    (SELECT id, 'inbound', type, left(body, ${LAST_TEXT_LENGTH}), NULL, received_at
     FROM inbound_messages WHERE conversation_id = v.id ORDER BY id DESC LIMIT 1)
    ORDER BY id DESC LIMIT 1) newest) AS "lastMessage"`;

const FIND: Statement = {
  name: 'conversations-find',
  text: `SELECT ${COLUMNS} FROM conversations v JOIN contacts c ON c.id = v.contact_id
         WHERE v.id = $1 AND v.channel_id = $2 AND v.account_id = $3`,
};

/** A conversation, or the one that it has become part of; null when the channel has no conversation with this id. */
export async function findConversation(
  { pool }: { pool: Connection },
  { accountId, channelId }: ConversationScope,
  id: string,
): Promise<ListedConversation | null> {
  return await asJoined(pool, id, async (asked) => {
    const { rows } = await pool.query<ListedConversation>({ ...FIND, values: [asked, channelId, accountId] });
    return rows[0] ?? null;
  });
}

/** A page of a channel's conversations, those with the newest message first, and how many there are on all pages. */
export async function readPage(
  client: pg.PoolClient,
  scope: ConversationScope,
  filter: ConversationFilter,
  page: Page,
): Promise<{ conversations: ListedConversation[]; total: number }> {
  // Guesses of how many rows match must spoil no plan: see src/features/contacts/search/list-store.ts.
  await client.query(filter.search?.byKeys ? FOR_COLLECTING : FOR_WALKING);
  const list = await client.query<ListedConversation>(build((bind) => pageQuery(scope, filter, page, bind)));
  const count = await client.query<{ total: number }>(
    build((bind) => `SELECT count(*)::int AS total FROM ${matching(scope, filter, bind)}`),
  );
  return { conversations: list.rows, total: count.rows[0]?.total ?? 0 };
}

/** Behind which conversation a page begins: its place in the list. */
export interface ConversationPlace {
  lastMessageAt: Date;
  id: string;
}

/**
 * The conversations of a channel behind a place, those with the newest message first. It costs the same however far down
 * the list that is.
 * @param after null: from the newest
 */
export async function readAfter(
  client: pg.PoolClient,
  scope: ConversationScope,
  filter: ConversationFilter,
  { limit, after }: { limit: number; after: ConversationPlace | null },
): Promise<ListedConversation[]> {
  await client.query(filter.search?.byKeys ? FOR_COLLECTING : FOR_WALKING);
  const { rows } = await client.query<ListedConversation>(
    build((bind) => {
      const place = after && `(${bind(after.lastMessageAt.toISOString())}::timestamptz, ${bind(after.id)}::uuid)`;
      const behind = place ? ` AND (v.last_message_at, v.id) < ${place}` : '';
      return listQuery(`${matching(scope, filter, bind)}${behind}`, `LIMIT ${bind(limit)}`);
    }),
  );
  return rows;
}

/** Begins a transaction of one snapshot for page and total. */
export async function beginReading(client: pg.PoolClient): Promise<void> {
  await client.query(BEGIN);
}

function pageQuery(scope: ConversationScope, filter: ConversationFilter, { limit, offset }: Page, bind: Bind): string {
  return listQuery(matching(scope, filter, bind), `LIMIT ${bind(limit)} OFFSET ${bind(offset)}`);
}

/** The page is cut before contacts and messages are looked up, so that an offset reads the index alone. */
function listQuery(from: string, cut: string): string {
  return `
WITH page AS MATERIALIZED (
  SELECT v.* FROM ${from}
  ORDER BY v.last_message_at DESC, v.id DESC ${cut}
)
SELECT ${COLUMNS} FROM page v JOIN contacts c ON c.id = v.contact_id ORDER BY v.last_message_at DESC, v.id DESC`;
}

/** Tables and conditions of the conversations `v` that a filter leaves. */
function matching({ accountId, channelId }: ConversationScope, filter: ConversationFilter, bind: Bind): string {
  const { unread, window, search } = filter;
  const channel = bind(channelId);
  const conditions = [`v.channel_id = ${channel}`, `v.account_id = ${bind(accountId)}`];
  if (unread !== undefined) conditions.push(unread ? 'v.unread_count > 0' : 'v.unread_count = 0');
  if (window) {
    const since = bind(window.since.toISOString());
    // No message is newer than the last of either direction, by which the index is in order.
    const open = `v.last_inbound_at > ${since} AND v.last_message_at > ${since}`;
    conditions.push(window.open ? open : `(v.last_inbound_at > ${since}) IS NOT TRUE`);
  }
  if (!search) return `conversations v WHERE ${conditions.join(' AND ')}`;
  const holds = holdsTerm(search.term, bind);
  // The channel is in the keys, and here compared in a way that no other index answers.
  const keys = search.byKeys
    ? `${mayHoldTerm(search.term, channel, bind)} AND c.channel_id IS NOT DISTINCT FROM ${channel} AND `
    : '';
  return `conversations v JOIN contacts c ON c.id = v.contact_id WHERE ${keys}${holds} AND ${conditions.join(' AND ')}`;
}

function build(sql: (bind: Bind) => string): PlannedStatement & { values: unknown[] } {
  const values: unknown[] = [];
  return { text: sql((value) => `$${values.push(value)}`), values };
}

const LOCK: Statement = {
  name: 'conversations-lock',
  text: 'SELECT id FROM conversations WHERE id = $1 AND channel_id = $2 AND account_id = $3 FOR NO KEY UPDATE',
};

/**
 * Locks a conversation until the transaction ends: what its contact writes now counts after it.
 * @returns its id, or that of the one that it has become part of; null when the channel has none
 */
export async function lockConversation(
  client: pg.PoolClient,
  { accountId, channelId }: ConversationScope,
  id: string,
): Promise<string | null> {
  return await asJoined(client, id, async (asked) => {
    const { rowCount } = await client.query({ ...LOCK, values: [asked, channelId, accountId] });
    return rowCount === 1 ? asked : null;
  });
}

const HAS_MESSAGE: Statement = {
  name: 'conversations-has-message',
  text: `SELECT FROM inbound_messages WHERE id = $2 AND conversation_id = $1
         UNION ALL SELECT FROM messages WHERE id = $2 AND conversation_id = $1`,
};

/** Whether a message of either direction belongs to a conversation. */
export async function hasMessage(client: pg.PoolClient, conversationId: string, messageId: string): Promise<boolean> {
  const { rowCount } = await client.query({ ...HAS_MESSAGE, values: [conversationId, messageId] });
  return rowCount !== 0;
}

/** Never more than before: messages from before they were counted are read. What a person did with a message is never unread. */
const MARK_READ: Statement = {
  name: 'conversations-mark-read',
  text: `UPDATE conversations SET unread_count = CASE WHEN $2::uuid IS NULL THEN 0 ELSE least(unread_count,
           (SELECT count(*) FROM inbound_messages WHERE conversation_id = $1 AND id > $2::uuid AND type <> 'user_action')) END
         WHERE id = $1`,
};

/**
 * Marks what a contact wrote as read.
 * @param upTo id of the last message that was read; null: all
 */
export async function setRead(client: pg.PoolClient, id: string, upTo: string | null): Promise<void> {
  await client.query({ ...MARK_READ, values: [id, upTo] });
}
