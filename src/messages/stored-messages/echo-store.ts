import type pg from 'pg';
import { PLACEHOLDER_TYPE } from '../../carriers/content.js';
import type { Statement } from '../../platform/store/connections/pool.js';

/** A message sent from a channel's number outside Heliograph. */
export interface EchoRow {
  /** Derived from the carrier's message ID and the time, so that a repeated echo gets the same ID. */
  id: string;
  accountId: string;
  channelId: string;
  contactId: string;
  conversationId: string;
  carrier: string;
  carrierMessageId: string;
  sender: string;
  recipient: string;
  body: string;
  /** Null for plain text. */
  content: object | null;
  status: 'sent' | 'delivered' | 'read' | 'failed';
  sentAt: Date;
}

const IS_KNOWN: Statement = { name: 'echoes-is-known', text: 'SELECT FROM messages WHERE id = $1' };

/** Also returns true for an erased message. */
export async function isKnownEcho(client: pg.PoolClient, id: string): Promise<boolean> {
  return (await client.query({ ...IS_KNOWN, values: [id] })).rowCount !== 0;
}

/**
 * Heliograph never accepted an echo, so it is not charged, counted or sent. The reference of an echo has a prefix, so that its
 * receipts are not counted as those of accepted messages.
 */
const INSERT_ECHO: Statement = {
  name: 'echoes-insert',
  text: `
WITH stored AS (
  INSERT INTO messages (id, account_id, channel_id, contact_id, conversation_id, created_at, valid_until, sending_at, sent_at,
                        delivered_at, read_at, ended_at, price_micros, surface, kind, status, priority, parts, carrier, sender,
                        recipient, body, content, carrier_message_id)
  SELECT $1, $2, $3, $4, $5, $6, $6, $6, CASE WHEN $7 <> 'failed' THEN $6::timestamptz END,
         CASE WHEN $7 IN ('delivered', 'read') THEN $6 END, CASE WHEN $7 = 'read' THEN $6 END,
         CASE WHEN $7 = 'failed' THEN $6 END, 0, 'b', 'whatsapp', $7::message_status, 0, 1, $8, $9, $10, $11, $12, $13
  ON CONFLICT (id) DO NOTHING
  RETURNING id, carrier, carrier_message_id
)
INSERT INTO carrier_references (carrier, carrier_message_id, message_id)
SELECT carrier, 'echo ' || carrier_message_id, id FROM stored
ON CONFLICT DO NOTHING`,
};

export async function insertEcho(client: pg.PoolClient, row: EchoRow): Promise<void> {
  const { id, accountId, channelId, contactId, conversationId, carrier, carrierMessageId, sender, recipient } = row;
  const leadingValues = [
    id,
    accountId,
    channelId,
    contactId,
    conversationId,
    row.sentAt.toISOString(),
    row.status,
    carrier,
  ];
  const content = row.content && JSON.stringify(row.content);
  await client.query({
    ...INSERT_ECHO,
    values: [...leadingValues, sender, recipient, row.body, content, carrierMessageId],
  });
}

const FILL_ECHO: Statement = {
  name: 'echoes-fill',
  text: `
WITH found AS (
  SELECT m.id FROM carrier_references r JOIN messages m ON m.id = r.message_id
  WHERE r.carrier = $1 AND r.carrier_message_id = 'echo ' || $2 AND m.channel_id = $3
), filled AS (
  UPDATE messages m SET body = $4, content = $5
  FROM found f
  WHERE m.id = f.id AND m.content ->> 'type' = '${PLACEHOLDER_TYPE}' AND $5::jsonb ->> 'type' IS DISTINCT FROM m.content ->> 'type'
)
SELECT FROM found`,
};

export async function fillEcho(
  client: pg.PoolClient,
  row: Pick<EchoRow, 'carrier' | 'carrierMessageId' | 'channelId' | 'body' | 'content'>,
): Promise<boolean> {
  const content = row.content && JSON.stringify(row.content);
  const values = [row.carrier, row.carrierMessageId, row.channelId, row.body, content];
  return (await client.query({ ...FILL_ECHO, values })).rowCount !== 0;
}

/** An erased echo has no reference, so a correction does not find the echo, and the text stays empty. */
const CORRECT_ECHO: Statement = {
  name: 'echoes-correct',
  text: `
WITH found AS (
  SELECT r.message_id AS id FROM carrier_references r WHERE r.carrier = $1 AND r.carrier_message_id = 'echo ' || $2
), corrected AS (
  UPDATE messages m SET body = $3, content = $4
  FROM found f
  WHERE m.id = f.id AND m.channel_id = $5 AND coalesce(m.content ->> 'revokedAt', '') = ''
    AND ($6 OR coalesce(m.content ->> 'editedAt', '') < $7)
  RETURNING m.id
)
SELECT f.id AS "messageId", done.id IS NOT NULL AS "isCorrected", m.contact_id AS "contactId",
  m.conversation_id AS "conversationId", k.phone, k.user_id AS "userId", k.username
FROM found f JOIN messages m ON m.id = f.id LEFT JOIN corrected done ON done.id = f.id
LEFT JOIN contacts k ON k.id = m.contact_id
WHERE m.channel_id = $5`,
};

export interface EchoCorrection {
  carrier: string;
  carrierMessageId: string;
  channelId: string;
  body: string;
  content: object;
  isRevoked: boolean;
  at: Date;
}

export interface CorrectedEcho {
  messageId: string;
  isCorrected: boolean;
  contactId: string | null;
  conversationId: string | null;
  phone: string | null;
  userId: string | null;
  username: string | null;
}

export async function correctEcho(
  client: pg.PoolClient,
  correction: EchoCorrection,
): Promise<CorrectedEcho | undefined> {
  const { carrier, carrierMessageId, channelId, body, content, isRevoked, at } = correction;
  const values = [carrier, carrierMessageId, body, JSON.stringify(content), channelId, isRevoked, at.toISOString()];
  return (await client.query<CorrectedEcho>({ ...CORRECT_ECHO, values })).rows[0];
}
