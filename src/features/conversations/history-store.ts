import type pg from 'pg';
import type { MessageContent } from '../../carriers/content.js';
import type { MessageStatus } from '../../messages/message-status.js';
import { LAST_ID } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Page } from './conversation-store.js';

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
  /** When it was changed last, and taken back, by who wrote it: then its text is empty. */
  editedAt: Date | null;
  revokedAt: Date | null;
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
  text: either('conversation_id = $1', 'LIMIT $2::bigint + $3::bigint', 'LIMIT $2::bigint OFFSET $3::bigint'),
};

const HISTORY_BEFORE: Statement = {
  name: 'conversations-history-before',
  text: either('conversation_id = $1 AND id < $3::uuid', 'LIMIT $2::bigint', 'LIMIT $2::bigint'),
};

/** Entries of both tables: those that a condition leaves, so many of each, and of them so many. */
function either(where: string, ofEach: string, ofBoth: string): string {
  return `
SELECT * FROM (
  (SELECT id, 'outbound' AS direction, coalesce(content->>'type', 'text') AS type, body AS text, content AS payload,
          carrier_message_id AS "carrierMessageId", status::text, error_code AS "errorCode",
          error_message AS "errorMessage", (content->>'editedAt')::timestamptz AS "editedAt",
          (content->>'revokedAt')::timestamptz AS "revokedAt", created_at AS "createdAt", sent_at AS "sentAt",
          delivered_at AS "deliveredAt", read_at AS "readAt"
   FROM messages WHERE ${where} ORDER BY id DESC ${ofEach})
  UNION ALL
  (SELECT id, 'inbound', type, body, payload, carrier_message_id, NULL, NULL, NULL, edited_at, revoked_at, received_at, NULL, NULL, NULL
   FROM inbound_messages WHERE ${where} ORDER BY id DESC ${ofEach})
) AS either ORDER BY id DESC ${ofBoth}`;
}

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
  return { messages: list.rows.map(shown), total: count.rows[0]?.total ?? 0 };
}

/**
 * The messages of a conversation before one of them, in both directions, the newest first; by key, so that a page costs the
 * same however old it is. Check first whose conversation it is.
 * @param page `before`: only those older than this id; null: from the newest
 * @returns `next`: `before` of the next page; null on the last one
 */
export async function pageHistory(
  { pool }: { pool: pg.Pool },
  conversationId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ messages: HistoryEntry[]; next: string | null }> {
  const values = [conversationId, limit + 1, before ?? LAST_ID];
  const { rows } = await pool.query<HistoryEntry>({ ...HISTORY_BEFORE, values });
  const messages = rows.slice(0, limit).map(shown);
  return { messages, next: rows.length > limit ? (messages.at(-1)?.id ?? null) : null };
}

function shown(entry: HistoryEntry): HistoryEntry {
  if (entry.direction === 'inbound') return entry;
  return { ...entry, payload: withoutType(entry.payload as MessageContent | null) };
}

/** Beside what a message that was sent elsewhere holds: see src/messages/rows/echo-store.ts. */
interface CorrectedContent {
  editedAt?: string;
  revokedAt?: string;
}

/** The type stands beside the payload already. */
function withoutType(content: MessageContent | null): object | null {
  if (!content) return null;
  const { type, fallback: _fallback, quotes, ...stored } = content;
  const { editedAt: _edited, revokedAt: _revoked, ...rest } = stored as typeof stored & CorrectedContent;
  if (Object.keys(rest).length === 0 && quotes === undefined) return null;
  const own = 'object' in rest ? objectOf(type, rest.object) : withFurther(rest);
  return quotes === undefined ? own : { ...own, context: { id: quotes } };
}

/** Fields that go to Meta as they are stand among the others, as in the message that was sent. */
function withFurther(stored: object): object {
  const { more, ...own } = stored as { more?: object };
  return { ...more, ...own };
}

/** As the payload of an inbound message of the type has it: a list stands under the type's name. */
function objectOf(type: string, object: object): object {
  return Array.isArray(object) ? { [type]: object } : object;
}
