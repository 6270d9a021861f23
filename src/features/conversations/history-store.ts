import type pg from 'pg';
import type { MessageContent } from '../../carriers/content.js';
import type { MessageStatus } from '../../messages/message-status.js';
import { LAST_ID } from '../../platform/ids.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Page } from './conversation-store.js';

/** Fields that exist only for the other direction are null. */
export interface HistoryEntry {
  id: string;
  direction: 'inbound' | 'outbound';
  type: string;
  text: string;
  /** Inbound: the carrier's payload. */
  payload: object | null;
  carrierMessageId: string | null;
  status: MessageStatus | null;
  errorCode: string | null;
  errorMessage: string | null;
  /**
   * `editedAt` is set if the author edited the message, and `revokedAt` if the author deleted it. A deleted message has
   * no text.
   */
  editedAt: Date | null;
  revokedAt: Date | null;
  /** Time at which the message was accepted, or at which the contact sent it. */
  createdAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  readAt: Date | null;
  /** What happened to the reply to a keyword; null for all other messages. */
  keywordReply: KeywordReplyResult | null;
}

export interface KeywordReplyResult {
  messageId: string | null;
  /** Null if there is a reply. */
  code: string | null;
  reason: string | null;
}

/** Message IDs of both directions are UUIDv7, so they sort by time of arrival. */
const LIST_HISTORY: Statement = {
  name: 'conversations-history',
  text: bothDirectionsSql(
    'conversation_id = $1',
    'LIMIT $2::bigint + $3::bigint',
    'LIMIT $2::bigint OFFSET $3::bigint',
  ),
};

const LIST_HISTORY_BEFORE: Statement = {
  name: 'conversations-history-before',
  text: bothDirectionsSql('conversation_id = $1 AND id < $3::uuid', 'LIMIT $2::bigint', 'LIMIT $2::bigint'),
};

function bothDirectionsSql(where: string, limitEach: string, limitTotal: string): string {
  return `
SELECT * FROM (
  (SELECT id, 'outbound' AS direction, coalesce(content->>'type', 'text') AS type, body AS text, content AS payload,
          carrier_message_id AS "carrierMessageId", status::text, error_code AS "errorCode",
          error_message AS "errorMessage", (content->>'editedAt')::timestamptz AS "editedAt",
          (content->>'revokedAt')::timestamptz AS "revokedAt", created_at AS "createdAt", sent_at AS "sentAt",
          delivered_at AS "deliveredAt", read_at AS "readAt", NULL::jsonb AS "keywordReply"
   FROM messages WHERE ${where} ORDER BY id DESC ${limitEach})
  UNION ALL
  (SELECT id, 'inbound', type, body, payload, carrier_message_id, NULL, NULL, NULL, edited_at, revoked_at, received_at, NULL, NULL, NULL,
          keyword_reply
   FROM inbound_messages WHERE ${where} ORDER BY id DESC ${limitEach})
) AS entries ORDER BY id DESC ${limitTotal}`;
}

const COUNT_HISTORY: Statement = {
  name: 'conversations-count-history',
  text: `SELECT (SELECT count(*) FROM messages WHERE conversation_id = $1)::int
              + (SELECT count(*) FROM inbound_messages WHERE conversation_id = $1)::int AS total`,
};

/** Newest first. Does not check whether the account may see the conversation. */
export async function listHistory(
  { pool }: { pool: pg.Pool },
  conversationId: string,
  { limit, offset }: Page,
): Promise<{ messages: HistoryEntry[]; total: number }> {
  const [list, count] = await Promise.all([
    pool.query<HistoryEntry>({ ...LIST_HISTORY, values: [conversationId, limit, offset] }),
    pool.query<{ total: number }>({ ...COUNT_HISTORY, values: [conversationId] }),
  ]);
  return { messages: list.rows.map(withPublicPayload), total: count.rows[0]?.total ?? 0 };
}

/**
 * Does not check whether the account may see the conversation.
 * @param page If `before` is null, the list starts with the newest message.
 * @returns `next` is the `before` of the next page, or null on the last page.
 */
export async function listHistoryBefore(
  { pool }: { pool: pg.Pool },
  conversationId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<{ messages: HistoryEntry[]; next: string | null }> {
  const values = [conversationId, limit + 1, before ?? LAST_ID];
  const { rows } = await pool.query<HistoryEntry>({ ...LIST_HISTORY_BEFORE, values });
  const messages = rows.slice(0, limit).map(withPublicPayload);
  return { messages, next: rows.length > limit ? (messages.at(-1)?.id ?? null) : null };
}

function withPublicPayload(entry: HistoryEntry): HistoryEntry {
  if (entry.direction === 'inbound') return entry;
  return { ...entry, payload: withoutType(entry.payload as MessageContent | null) };
}

/** Fields that are also stored with edited or deleted echoes (see src/messages/stored-messages/echo-store.ts). */
interface CorrectedContent {
  editedAt?: string;
  revokedAt?: string;
}

/** Removes the type from the payload, because the entry has its own field for the type. */
function withoutType(content: MessageContent | null): object | null {
  if (!content) return null;
  const { type, fallback: _fallback, quotes, ...stored } = content;
  const { editedAt: _edited, revokedAt: _revoked, ...rest } = stored as typeof stored & CorrectedContent;
  if (Object.keys(rest).length === 0 && quotes === undefined) return null;
  const payload = 'object' in rest ? toPayload(type, rest.object) : mergeUnmodeled(rest);
  return quotes === undefined ? payload : { ...payload, context: { id: quotes } };
}

/** Merges the fields that Heliograph does not model and passes to Meta unchanged. */
function mergeUnmodeled(stored: object): object {
  const { more, ...modeled } = stored as { more?: object };
  return { ...more, ...modeled };
}

/** Nests a list under the type's name, as in an inbound payload. */
function toPayload(type: string, object: object): object {
  return Array.isArray(object) ? { [type]: object } : object;
}
