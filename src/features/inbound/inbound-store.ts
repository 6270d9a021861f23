import type pg from 'pg';
import { PLACEHOLDER_TYPE } from '../../carriers/content.js';
import type { InboundReport } from '../../carriers/inbound-message.js';
import { findCallingCode, isPhoneNumber } from '../../carriers/numbers/phone-numbers.js';
import { isUserId } from '../../carriers/numbers/user-ids.js';
import { insertChangesSql } from '../../messages/changes/changes-sql.js';
import { startOfHour } from '../../messages/counters/hour.js';
import type { Statement } from '../../platform/store/connections/pool.js';
import type { Connection } from '../../platform/store/with-transaction.js';

export interface InboundLocation {
  messageId: string;
  /** The sender's contact; null if the contact was deleted. */
  contactId: string | null;
  conversationId: string | null;
  receivedAt: Date;
}

/** SQL for the hashed carrier ID of an erased person's message, by which a repeated report is recognized. */
export const ERASED_CARRIER_ID = (id: string) => `'erased ' || encode(sha256(convert_to(${id}, 'UTF8')), 'hex')`;

const FIND_STORED: Statement = {
  name: 'inbound-find',
  text: `SELECT i.id AS "messageId", i.received_at AS "receivedAt", i.conversation_id AS "conversationId",
                v.contact_id AS "contactId",
                i.type = '${PLACEHOLDER_TYPE}' AND i.conversation_id IS NOT NULL AND i.revoked_at IS NULL AS "lacksFile"
         FROM inbound_messages i LEFT JOIN conversations v ON v.id = i.conversation_id
         WHERE i.channel_id = $1 AND i.carrier_message_id IN ($2::text, ${ERASED_CARRIER_ID('$2::text')})`,
};

/** `lacksFile` is true until the carrier has reported the message's file. */
export type FoundInbound = InboundLocation & { lacksFile: boolean };

export async function findInbound(
  pool: Connection,
  channelId: string,
  carrierMessageId: string,
): Promise<FoundInbound | null> {
  const { rows } = await pool.query<FoundInbound>({ ...FIND_STORED, values: [channelId, carrierMessageId] });
  return rows[0] ?? null;
}

export interface InboundRow extends Pick<InboundReport, 'carrierMessageId' | 'type' | 'body' | 'payload'> {
  id: string;
  accountId: string;
  channelId: string;
  conversationId: string;
  /** The sender's number, user ID, name or short code. Names and short codes do not count towards any country. */
  from: string;
  receivedAt: Date;
  createdAt: Date;
}

const INSERT: Statement = {
  name: 'inbound-insert',
  text: `
WITH stored AS (
  INSERT INTO inbound_messages (id, account_id, channel_id, conversation_id, carrier_message_id, type, body, payload,
                                received_at, created_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
  ON CONFLICT (channel_id, carrier_message_id) DO NOTHING
  RETURNING id, account_id, channel_id
), counted AS (
  INSERT INTO count_deltas (hour, account_id, channel_id, kind, carrier, prefix, events, messages)
  SELECT $11, s.account_id, s.channel_id, c.kind, c.carrier, $12, '{inbound}', 1
  FROM stored s JOIN channels c ON c.id = s.channel_id
), changed AS (
  ${insertChangesSql('inbound', 'SELECT account_id, ARRAY[id] FROM stored')}
)
SELECT FROM stored`,
};

/** Inserts a message from before the channel was connected, which is not counted and creates no change entry. */
const INSERT_PAST: Statement = {
  name: 'inbound-insert-past',
  text: `
INSERT INTO inbound_messages (id, account_id, channel_id, conversation_id, carrier_message_id, type, body, payload,
                              received_at, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT DO NOTHING`,
};

/** @returns false as `insertInbound` */
export async function insertPastInbound(client: pg.PoolClient, row: InboundRow): Promise<boolean> {
  return (await client.query({ ...INSERT_PAST, values: toValues(row) })).rowCount !== 0;
}

function toValues(row: InboundRow): unknown[] {
  return [
    row.id,
    row.accountId,
    row.channelId,
    row.conversationId,
    row.carrierMessageId,
    row.type,
    row.body,
    JSON.stringify(row.payload),
    row.receivedAt.toISOString(),
    row.createdAt.toISOString(),
  ];
}

/** Returns false if the channel already has a message with this carrier ID. */
export async function insertInbound(client: pg.PoolClient, row: InboundRow): Promise<boolean> {
  const { rowCount } = await client.query({
    ...INSERT,
    values: [
      ...toValues(row),
      startOfHour(row.createdAt),
      isPhoneNumber(row.from, 'calling-code') || isUserId(row.from) ? (findCallingCode(row.from) ?? '') : '',
    ],
  });
  return rowCount !== 0;
}

const FILL: Statement = {
  name: 'inbound-fill',
  text: `
UPDATE inbound_messages SET type = $2, body = CASE WHEN edited_at IS NULL THEN $3 ELSE body END,
  payload = CASE WHEN edited_at IS NULL THEN $4::jsonb ELSE $4::jsonb || payload END
WHERE id = $1 AND type = '${PLACEHOLDER_TYPE}' AND conversation_id IS NOT NULL AND revoked_at IS NULL`,
};

/**
 * Adds a file that was reported after its message. Returns false if the file was already added, or if the message was
 * revoked or erased.
 */
export async function fillInbound(
  client: pg.PoolClient,
  id: string,
  { type, body, payload }: Pick<InboundReport, 'type' | 'body' | 'payload'>,
): Promise<boolean> {
  return (await client.query({ ...FILL, values: [id, type, body, JSON.stringify(payload)] })).rowCount !== 0;
}

/** A late report must not move the conversation's times back. */
const OPEN_WINDOW: Statement = {
  name: 'inbound-open-window',
  text: `UPDATE conversations SET last_inbound_at = greatest(last_inbound_at, $2::timestamptz),
                                  last_message_at = greatest(last_message_at, $2::timestamptz),
                                  unread_count = unread_count + $3
         WHERE id = $1`,
};

export async function openWindow(
  client: pg.PoolClient,
  conversationId: string,
  receivedAt: Date,
  { isUnread = true } = {},
): Promise<void> {
  await client.query({ ...OPEN_WINDOW, values: [conversationId, receivedAt.toISOString(), isUnread ? 1 : 0] });
}
