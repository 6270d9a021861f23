import type pg from 'pg';
import type { MessageContent } from '../../carriers/content.js';
import type { MessageStatus } from '../../messages/status/status.js';
import type { Statement } from '../../platform/store/pool.js';

export interface Page {
  limit: number;
  offset: number;
}

/** Whose conversations are asked for. */
export interface ConversationScope {
  accountId: string;
  channelId: string;
}

export interface ListedConversation {
  id: string;
  contactId: string;
  phone: string;
  name: string;
  lastInboundAt: Date | null;
  lastMessageAt: Date;
  createdAt: Date;
}

const COLUMNS = `v.id, v.contact_id AS "contactId", c.phone, c.name, v.last_inbound_at AS "lastInboundAt",
       v.last_message_at AS "lastMessageAt", v.created_at AS "createdAt"`;

/** The page is cut before contacts are looked up, so that an offset reads the index alone. */
const LIST: Statement = {
  name: 'conversations-list',
  text: `SELECT ${COLUMNS}
         FROM (SELECT * FROM conversations WHERE channel_id = $1 AND account_id = $2
               ORDER BY last_message_at DESC, id DESC LIMIT $3 OFFSET $4) v
         JOIN contacts c ON c.id = v.contact_id
         ORDER BY v.last_message_at DESC, v.id DESC`,
};

const COUNT: Statement = {
  name: 'conversations-count',
  text: 'SELECT count(*)::int AS total FROM conversations WHERE channel_id = $1',
};

const FIND: Statement = {
  name: 'conversations-find',
  text: `SELECT ${COLUMNS} FROM conversations v JOIN contacts c ON c.id = v.contact_id
         WHERE v.id = $1 AND v.channel_id = $2 AND v.account_id = $3`,
};

/** A channel's conversations, those with the newest message of either direction first. */
export async function listConversations(
  { pool }: { pool: pg.Pool },
  { accountId, channelId }: ConversationScope,
  { limit, offset }: Page,
): Promise<{ conversations: ListedConversation[]; total: number }> {
  const [list, count] = await Promise.all([
    pool.query<ListedConversation>({ ...LIST, values: [channelId, accountId, limit, offset] }),
    pool.query<{ total: number }>({ ...COUNT, values: [channelId] }),
  ]);
  return { conversations: list.rows, total: count.rows[0]?.total ?? 0 };
}

/** Null when the channel has no conversation with this id. */
export async function findConversation(
  { pool }: { pool: pg.Pool },
  { accountId, channelId }: ConversationScope,
  id: string,
): Promise<ListedConversation | null> {
  const { rows } = await pool.query<ListedConversation>({ ...FIND, values: [id, channelId, accountId] });
  return rows[0] ?? null;
}

/** A message of either direction; what only the other one has is null. */
export interface HistoryEntry {
  id: string;
  direction: 'inbound' | 'outbound';
  type: string;
  text: string;
  /** Inbound: what the carrier sent. Outbound: null for plain text. */
  payload: object | null;
  carrierMessageId: string | null;
  status: MessageStatus | null;
  errorCode: string | null;
  errorMessage: string | null;
  /** When it was accepted, or when the contact sent it. */
  createdAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
}

/**
 * Ids of both tables are UUIDv7, so their order is that of arrival. Of each table at most the rows up to the end of
 * the page are read, from an index.
 */
const HISTORY: Statement = {
  name: 'conversations-history',
  text: `
SELECT * FROM (
  (SELECT id, 'outbound' AS direction, coalesce(content->>'type', 'text') AS type, body AS text, content AS payload,
          carrier_message_id AS "carrierMessageId", status::text, error_code AS "errorCode",
          error_message AS "errorMessage", created_at AS "createdAt", sent_at AS "sentAt",
          delivered_at AS "deliveredAt", read_at AS "readAt"
   FROM messages WHERE conversation_id = $1 ORDER BY id DESC LIMIT $2::bigint + $3::bigint)
  UNION ALL
  (SELECT id, 'inbound', type, body, payload, carrier_message_id, NULL, NULL, NULL, received_at, NULL, NULL, NULL
   FROM inbound_messages WHERE conversation_id = $1 ORDER BY id DESC LIMIT $2::bigint + $3::bigint)
) AS either ORDER BY id DESC LIMIT $2::bigint OFFSET $3::bigint`,
};

const COUNT_HISTORY: Statement = {
  name: 'conversations-count-history',
  text: `SELECT (SELECT count(*) FROM messages WHERE conversation_id = $1)::int
              + (SELECT count(*) FROM inbound_messages WHERE conversation_id = $1)::int AS total`,
};

/** The messages of a conversation, in both directions, the newest first. Check first whose conversation it is. */
export async function listHistory(
  { pool }: { pool: pg.Pool },
  conversationId: string,
  { limit, offset }: Page,
): Promise<{ messages: HistoryEntry[]; total: number }> {
  const [list, count] = await Promise.all([
    pool.query<HistoryEntry>({ ...HISTORY, values: [conversationId, limit, offset] }),
    pool.query<{ total: number }>({ ...COUNT_HISTORY, values: [conversationId] }),
  ]);
  const messages = list.rows.map((entry) => {
    const payload =
      entry.direction === 'outbound' ? withoutType(entry.payload as MessageContent | null) : entry.payload;
    return { ...entry, payload };
  });
  return { messages, total: count.rows[0]?.total ?? 0 };
}

/** The type stands beside the payload already. */
function withoutType(content: MessageContent | null): object | null {
  if (!content) return null;
  const { type: _type, fallback: _fallback, ...rest } = content;
  return rest;
}
