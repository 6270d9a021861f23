import type pg from 'pg';
import type { CorrectionReport } from '../../carriers/inbound-message.js';
import { type CorrectedMessage, emitCorrected } from '../../messages/events/correction-events.js';
import { inTransaction, type PlannedStatement } from '../../platform/store/connections/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import { removeContactMedia, removeMessageMedia } from '../media/media-store.js';
import { ERASED_CARRIER_ID } from './inbound-store.js';

/** What emptying leaves of a message: that there was one. */
const EMPTIED = `conversation_id = NULL, body = '', payload = '{}'`;

/** Meta's id of a message holds the number, in base64. Its hash still tells a repeated report. */
const EMPTY: PlannedStatement = {
  text: `UPDATE inbound_messages SET ${EMPTIED}, carrier_message_id = ${ERASED_CARRIER_ID('carrier_message_id')}
         WHERE id = ANY($1::uuid[])`,
};

/** Empties inbound messages, deletes their files, and takes them out of their conversation. */
export async function emptyInbound(client: pg.PoolClient, ids: readonly string[]): Promise<void> {
  await removeMessageMedia(client, ids);
  await client.query({ ...EMPTY, values: [ids] });
}

const EMPTY_OF_CONTACT: PlannedStatement = {
  text: `UPDATE inbound_messages SET ${EMPTIED}
         WHERE conversation_id IN (SELECT id FROM conversations WHERE contact_id = $1)`,
};

/** Does so with those of a contact that is being deleted; the ids that carriers gave them stay. */
export async function emptyInboundOf(client: pg.PoolClient, contactId: string): Promise<void> {
  await removeContactMedia(client, contactId);
  await client.query({ ...EMPTY_OF_CONTACT, values: [contactId] });
}

/** A message of an account. */
interface Which {
  id: string;
  accountId: string;
}

const REDACT: PlannedStatement = { text: `UPDATE inbound_messages SET body = '', payload = '{}' WHERE id = $1` };

/** Empties a message that a contact wrote, and deletes its file; it stays in its conversation. Webhooks are told. */
export function redactInbound(pool: pg.Pool, which: Which, now: Date): Promise<void> {
  return ofOne(pool, which, async (client, found) => {
    await removeMessageMedia(client, [which.id]);
    await client.query({ ...REDACT, values: [which.id] });
    if (!found.isEmpty) await tell(client, found, { type: found.type, body: '', payload: {} }, now);
  });
}

/**
 * Deletes a message that a contact wrote. Until no carrier reports it again, it is known that it came. Webhooks are told as of one
 * that was taken back.
 */
export function deleteInbound(pool: pg.Pool, which: Which, now: Date): Promise<void> {
  return ofOne(pool, which, async (client, found) => {
    await emptyInbound(client, [which.id]);
    await tell(client, found, null, now);
  });
}

/** Locked. What is in no conversation any more was deleted before. */
const FIND: PlannedStatement = {
  text: `
SELECT i.id AS "messageId", i.type, i.body = '' AND i.payload = '{}' AS "isEmpty", i.carrier_message_id AS "carrierMessageId",
  v.id AS "conversationId", k.id AS "contactId", k.phone, k.user_id AS "userId", k.username,
  h.id AS "channelId", h.kind, h.phone_number AS "phoneNumber"
FROM inbound_messages i JOIN channels h ON h.id = i.channel_id JOIN conversations v ON v.id = i.conversation_id
JOIN contacts k ON k.id = v.contact_id
WHERE i.id = $1 AND i.account_id = $2 FOR UPDATE OF i`,
};

interface Found extends Omit<CorrectedMessage, 'isCorrected' | 'payload' | 'type'> {
  type: string;
  isEmpty: boolean;
  carrierMessageId: string;
  channelId: string;
  kind: 'sms' | 'whatsapp';
  phoneNumber: string;
}

function ofOne(
  pool: pg.Pool,
  { id, accountId }: Which,
  then: (client: pg.PoolClient, found: Found & { accountId: string }) => Promise<void>,
): Promise<void> {
  return repeated(() =>
    inTransaction(pool, async (client) => {
      const [found] = (await client.query<Found>({ ...FIND, values: [id, accountId] })).rows;
      if (found) await then(client, { ...found, accountId });
    }),
  );
}

async function tell(
  client: pg.PoolClient,
  found: Found & { accountId: string },
  edit: CorrectionReport['edit'],
  at: Date,
): Promise<void> {
  const { accountId, channelId: id, kind, phoneNumber, carrierMessageId } = found;
  const report = { channel: { id, accountId, kind, phoneNumber }, carrierMessageId, isOwn: false, edit, at };
  await emitCorrected(client, report, { ...found, isCorrected: true, payload: edit && {} });
}
