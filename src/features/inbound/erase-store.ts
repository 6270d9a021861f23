import type pg from 'pg';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import { type CorrectedMessage, emitCorrectionEvent } from '../../messages/events/correction-events.js';
import { inTransaction, type PlannedStatement } from '../../platform/store/connections/pool.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import { removeContactMedia, removeMessageMedia } from '../media/media-store.js';
import { ERASED_CARRIER_ID } from './inbound-store.js';

/** The emptied row stays, so that a repeated carrier report is recognized. */
const EMPTY_FIELDS = `conversation_id = NULL, body = '', payload = '{}', keyword_reply = NULL`;

/** Replaces Meta's message ID with its hash, because the ID contains the number in base64. */
const EMPTY_MESSAGES: PlannedStatement = {
  text: `UPDATE inbound_messages SET ${EMPTY_FIELDS}, carrier_message_id = ${ERASED_CARRIER_ID('carrier_message_id')}
         WHERE id = ANY($1::uuid[])`,
};

export async function emptyInbound(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
  await removeMessageMedia(client, ids);
  await client.query({ ...EMPTY_MESSAGES, values: [ids] });
}

const EMPTY_OF_CONTACT: PlannedStatement = {
  text: `UPDATE inbound_messages SET ${EMPTY_FIELDS}
         WHERE conversation_id IN (SELECT id FROM conversations WHERE contact_id = $1)`,
};

export async function emptyInboundOfContact(client: pg.PoolClient, contactId: string): Promise<void> {
  await removeContactMedia(client, contactId);
  await client.query({ ...EMPTY_OF_CONTACT, values: [contactId] });
}

interface MessageKey {
  id: string;
  accountId: string;
}

const REDACT: PlannedStatement = {
  text: `UPDATE inbound_messages SET body = '', payload = '{}', keyword_reply = keyword_reply - 'reason' WHERE id = $1`,
};

/** Empties the message but keeps it in its conversation. Emits `message.edited`. */
export function redactInbound(pool: pg.Pool, key: MessageKey, now: Date): Promise<void> {
  return withLockedMessage(pool, key, async (client, message) => {
    await removeMessageMedia(client, [key.id]);
    await client.query({ ...REDACT, values: [key.id] });
    if (!message.isEmpty) await emitCorrection(client, message, { type: message.type, body: '', payload: {} }, now);
  });
}

/** Empties the row, which is kept for as long as the carrier may report the message again. Emits `message.revoked`. */
export function deleteInbound(pool: pg.Pool, key: MessageKey, now: Date): Promise<void> {
  return withLockedMessage(pool, key, async (client, message) => {
    await emptyInbound(client, [key.id]);
    await emitCorrection(client, message, null, now);
  });
}

/** Finds no message without a conversation, because such a message is already deleted. */
const LOCK: PlannedStatement = {
  text: `
SELECT i.id AS "messageId", i.type, i.body = '' AND i.payload = '{}' AS "isEmpty", i.carrier_message_id AS "carrierMessageId",
  v.id AS "conversationId", k.id AS "contactId", k.phone, k.user_id AS "userId", k.username,
  h.id AS "channelId", h.kind, h.phone_number AS "phoneNumber"
FROM inbound_messages i JOIN channels h ON h.id = i.channel_id JOIN conversations v ON v.id = i.conversation_id
JOIN contacts k ON k.id = v.contact_id
WHERE i.id = $1 AND i.account_id = $2 FOR UPDATE OF i`,
};

interface LockedMessage extends Omit<CorrectedMessage, 'isCorrected' | 'payload' | 'type'> {
  type: string;
  isEmpty: boolean;
  carrierMessageId: string;
  channelId: string;
  kind: 'sms' | 'whatsapp';
  phoneNumber: string;
}

function withLockedMessage(
  pool: pg.Pool,
  { id, accountId }: MessageKey,
  work: (client: pg.PoolClient, message: LockedMessage & { accountId: string }) => Promise<void>,
): Promise<void> {
  return retryTransaction(() =>
    inTransaction(pool, async (client) => {
      const [message] = (await client.query<LockedMessage>({ ...LOCK, values: [id, accountId] })).rows;
      if (message) await work(client, { ...message, accountId });
    }),
  );
}

async function emitCorrection(
  client: pg.PoolClient,
  message: LockedMessage & { accountId: string },
  edit: CorrectionReport['edit'],
  at: Date,
): Promise<void> {
  const { accountId, channelId: id, kind, phoneNumber, carrierMessageId } = message;
  const report = { channel: { id, accountId, kind, phoneNumber }, carrierMessageId, isOwn: false, edit, at };
  await emitCorrectionEvent(client, report, { ...message, isCorrected: true, payload: edit && {} });
}
