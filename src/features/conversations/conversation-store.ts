import type pg from 'pg';
import type { MessageStatus } from '../../messages/message-status.js';
import type { PlannedStatement, Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { followConversationMerges } from '../contacts/identity/survivor-store.js';
import { BEGIN_SNAPSHOT, COLLECT_SETTINGS, WALK_SETTINGS } from '../contacts/search/list-store.js';
import { type Bind, containsTermSql, mayContainTermSql } from '../contacts/search/term-sql.js';

export interface Page {
  limit: number;
  offset: number;
}

export interface ConversationScope {
  accountId: string;
  channelId: string;
}

export interface LastMessage {
  id: string;
  direction: 'inbound' | 'outbound';
  type: string;
  /** Truncated to `LAST_TEXT_LENGTH` characters. */
  text: string;
  /** Null for inbound messages. */
  status: MessageStatus | null;
  createdAt: string;
}

export interface ListedConversation {
  id: string;
  contactId: string;
  /** The phone number, or null for a contact known only by user ID. */
  phone: string | null;
  userId: string | null;
  username: string | null;
  name: string;
  unreadCount: number;
  lastInboundAt: Date | null;
  lastMessageAt: Date;
  lastMessage: LastMessage | null;
  createdAt: Date;
}

export interface ConversationFilter {
  unread?: boolean;
  window?: { open: boolean; since: Date };
  search?: { term: string; usesIndex: boolean };
}

/** Keeps list responses small, because a page may contain a thousand conversations. */
export const LAST_TEXT_LENGTH = 500;

/** Message IDs of both directions are UUIDv7, so they sort by time of arrival. */
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

/** Follows merges. */
export async function findConversation(
  { pool }: { pool: Connection },
  { accountId, channelId }: ConversationScope,
  id: string,
): Promise<ListedConversation | null> {
  return await followConversationMerges(pool, id, async (currentId) => {
    const { rows } = await pool.query<ListedConversation>({ ...FIND, values: [currentId, channelId, accountId] });
    return rows[0] ?? null;
  });
}

/** Latest message first. */
export async function readConversationPage(
  client: pg.PoolClient,
  scope: ConversationScope,
  filter: ConversationFilter,
  page: Page,
): Promise<{ conversations: ListedConversation[]; total: number }> {
  // The settings prevent a bad query plan caused by wrong row estimates (see
  // src/features/contacts/search/list-store.ts).
  await client.query(filter.search?.usesIndex ? COLLECT_SETTINGS : WALK_SETTINGS);
  const list = await client.query<ListedConversation>(
    buildStatement((bind) => buildPageQuery(scope, filter, page, bind)),
  );
  const count = await client.query<{ total: number }>(
    buildStatement((bind) => `SELECT count(*)::int AS total FROM ${matchingSql(scope, filter, bind)}`),
  );
  return { conversations: list.rows, total: count.rows[0]?.total ?? 0 };
}

export interface ConversationCursor {
  lastMessageAt: Date;
  id: string;
}

/** @param after the last conversation of the previous page, or null to start with the newest one */
export async function readConversationsAfter(
  client: pg.PoolClient,
  scope: ConversationScope,
  filter: ConversationFilter,
  { limit, after }: { limit: number; after: ConversationCursor | null },
): Promise<ListedConversation[]> {
  await client.query(filter.search?.usesIndex ? COLLECT_SETTINGS : WALK_SETTINGS);
  const { rows } = await client.query<ListedConversation>(
    buildStatement((bind) => {
      const cursor = after && `(${bind(after.lastMessageAt.toISOString())}::timestamptz, ${bind(after.id)}::uuid)`;
      const afterCursor = cursor ? ` AND (v.last_message_at, v.id) < ${cursor}` : '';
      return buildListQuery(`${matchingSql(scope, filter, bind)}${afterCursor}`, `LIMIT ${bind(limit)}`);
    }),
  );
  return rows;
}

/** Reads from one snapshot, so that the page and the total agree. */
export async function beginSnapshot(client: pg.PoolClient): Promise<void> {
  await client.query(BEGIN_SNAPSHOT);
}

function buildPageQuery(
  scope: ConversationScope,
  filter: ConversationFilter,
  { limit, offset }: Page,
  bind: Bind,
): string {
  return buildListQuery(matchingSql(scope, filter, bind), `LIMIT ${bind(limit)} OFFSET ${bind(offset)}`);
}

/** Limits the page before joining contacts and messages, so that an OFFSET scans only the index. */
function buildListQuery(from: string, limitClause: string): string {
  return `
WITH page AS MATERIALIZED (
  SELECT v.* FROM ${from}
  ORDER BY v.last_message_at DESC, v.id DESC ${limitClause}
)
SELECT ${COLUMNS} FROM page v JOIN contacts c ON c.id = v.contact_id ORDER BY v.last_message_at DESC, v.id DESC`;
}

function matchingSql({ accountId, channelId }: ConversationScope, filter: ConversationFilter, bind: Bind): string {
  const { unread, window, search } = filter;
  const channel = bind(channelId);
  const conditions = [`v.channel_id = ${channel}`, `v.account_id = ${bind(accountId)}`];
  if (unread !== undefined) conditions.push(unread ? 'v.unread_count > 0' : 'v.unread_count = 0');
  if (window) {
    const since = bind(window.since.toISOString());
    // The condition on last_message_at is redundant, but lets PostgreSQL use the index.
    const open = `v.last_inbound_at > ${since} AND v.last_message_at > ${since}`;
    conditions.push(window.open ? open : `(v.last_inbound_at > ${since}) IS NOT TRUE`);
  }
  if (!search) return `conversations v WHERE ${conditions.join(' AND ')}`;
  const containsTerm = containsTermSql(search.term, bind);
  // IS NOT DISTINCT FROM keeps the planner from choosing another index.
  const keys = search.usesIndex
    ? `${mayContainTermSql(search.term, channel, bind)} AND c.channel_id IS NOT DISTINCT FROM ${channel} AND `
    : '';
  return `conversations v JOIN contacts c ON c.id = v.contact_id WHERE ${keys}${containsTerm} AND ${conditions.join(' AND ')}`;
}

function buildStatement(sql: (bind: Bind) => string): PlannedStatement & { values: unknown[] } {
  const values: unknown[] = [];
  return { text: sql((value) => `$${values.push(value)}`), values };
}

const LOCK: Statement = {
  name: 'conversations-lock',
  text: 'SELECT id FROM conversations WHERE id = $1 AND channel_id = $2 AND account_id = $3 FOR NO KEY UPDATE',
};

/** New inbound messages wait until the lock is released. Follows merges. Returns null if the channel has no such conversation. */
export async function lockConversation(
  client: pg.PoolClient,
  { accountId, channelId }: ConversationScope,
  id: string,
): Promise<string | null> {
  return await followConversationMerges(client, id, async (currentId) => {
    const { rowCount } = await client.query({ ...LOCK, values: [currentId, channelId, accountId] });
    return rowCount === 1 ? currentId : null;
  });
}

const HAS_MESSAGE: Statement = {
  name: 'conversations-has-message',
  text: `SELECT FROM inbound_messages WHERE id = $2 AND conversation_id = $1
         UNION ALL SELECT FROM messages WHERE id = $2 AND conversation_id = $1`,
};

export async function hasMessage(client: pg.PoolClient, conversationId: string, messageId: string): Promise<boolean> {
  const { rowCount } = await client.query({ ...HAS_MESSAGE, values: [conversationId, messageId] });
  return rowCount !== 0;
}

/**
 * Never increases the count, because messages received before unread counts existed are treated as read. User actions
 * never count as unread.
 */
const MARK_READ: Statement = {
  name: 'conversations-mark-read',
  text: `UPDATE conversations SET unread_count = CASE WHEN $2::uuid IS NULL THEN 0 ELSE least(unread_count,
           (SELECT count(*) FROM inbound_messages WHERE conversation_id = $1 AND id > $2::uuid AND type <> 'user_action')) END
         WHERE id = $1`,
};

/** @param upTo ID of the last message that was read, or null to mark all messages as read */
export async function markInboundRead(client: pg.PoolClient, id: string, upTo: string | null): Promise<void> {
  await client.query({ ...MARK_READ, values: [id, upTo] });
}
