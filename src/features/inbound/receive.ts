import type pg from 'pg';
import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { worthRepeating } from '../../platform/store/failures.js';
import { inTransaction, type Statement } from '../../platform/store/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import { storable, storableJson } from '../../platform/store/storable.js';
import { onInbound } from '../automations/triggers.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { applyOptOut } from '../opt-outs/on-inbound.js';
import { emitEvent } from '../webhooks/outbox.js';

export interface ReceiveOptions {
  pool: pg.Pool;
  clock: Clock;
}

/** Where an inbound message is stored: for a repetition, where it was stored then. */
export interface ReceivedInbound {
  messageId: string;
  /** Null in a repetition whose contact was deleted since. */
  contactId: string | null;
  conversationId: string | null;
  receivedAt: Date;
  /** The carrier's id was known already, so nothing was changed. */
  repeated: boolean;
}

const FIND_STORED: Statement = {
  name: 'inbound-find',
  text: `SELECT i.id AS "messageId", i.received_at AS "receivedAt", i.conversation_id AS "conversationId",
                v.contact_id AS "contactId"
         FROM inbound_messages i LEFT JOIN conversations v ON v.id = i.conversation_id
         WHERE i.channel_id = $1 AND i.carrier_message_id = $2`,
};

const INSERT: Statement = {
  name: 'inbound-insert',
  text: `INSERT INTO inbound_messages (id, account_id, channel_id, conversation_id, carrier_message_id, type, body,
                                       payload, received_at, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         ON CONFLICT (channel_id, carrier_message_id) DO NOTHING`,
};

/** A report that comes late neither closes the window earlier nor moves the conversation down. */
const OPEN_WINDOW: Statement = {
  name: 'inbound-open-window',
  text: `UPDATE conversations SET last_inbound_at = greatest(last_inbound_at, $2::timestamptz),
                                  last_message_at = greatest(last_message_at, $2::timestamptz)
         WHERE id = $1`,
};

/**
 * Stores a message from a contact and all that follows from it, in one transaction: contact and conversation are found
 * or made, the window opens, the event goes into the outbox, the automation whose keyword it is begins, and a STOP or
 * START takes effect. A carrier's id that is known changes nothing, not even where its contact was deleted since: it does
 * not come back.
 */
export async function receiveInbound(
  { pool, clock }: ReceiveOptions,
  channel: InboundChannel,
  given: InboundReport,
): Promise<ReceivedInbound> {
  const report = storableReport(given);
  return repeated(
    async () => {
      const stored = await findStored(pool, channel.id, report.carrierMessageId);
      return stored ?? (await inTransaction(pool, (client) => store(client, channel, report, clock.now())));
    },
    // Where another transaction stored it first, that one has committed: its row is there to be found.
    (error) => error instanceof StoredByAnother || worthRepeating(error),
  );
}

function storableReport(report: InboundReport): InboundReport {
  return {
    ...report,
    carrierMessageId: storable(report.carrierMessageId),
    type: storable(report.type),
    body: storable(report.body),
    payload: storableJson(report.payload),
    ...(report.profileName !== undefined && { profileName: storable(report.profileName) }),
  };
}

class StoredByAnother extends Error {}

async function findStored(pool: pg.Pool, channelId: string, carrierMessageId: string): Promise<ReceivedInbound | null> {
  const { rows } = await pool.query<Omit<ReceivedInbound, 'repeated'>>({
    ...FIND_STORED,
    values: [channelId, carrierMessageId],
  });
  return rows[0] ? { ...rows[0], repeated: true } : null;
}

async function store(
  client: pg.PoolClient,
  channel: InboundChannel,
  report: InboundReport,
  now: Date,
): Promise<ReceivedInbound> {
  const { id: channelId, accountId } = channel;
  const { carrierMessageId, from, type, body, payload } = report;
  const receivedAt = report.receivedAt < now ? report.receivedAt : now;
  const sender = { accountId, channelId, phone: from, name: report.profileName, at: now };
  const { contactId, conversationId } = await findOrCreateContact(client, sender, { lock: true });
  const messageId = newId();
  const { rowCount } = await client.query({
    ...INSERT,
    values: [
      messageId,
      accountId,
      channelId,
      conversationId,
      carrierMessageId,
      type,
      body,
      JSON.stringify(payload),
      receivedAt.toISOString(),
      now.toISOString(),
    ],
  });
  if (rowCount === 0) throw new StoredByAnother();
  await client.query({ ...OPEN_WINDOW, values: [conversationId, receivedAt.toISOString()] });
  await emitEvent(client, {
    accountId,
    channelId,
    type: 'message.received',
    occurredAt: receivedAt,
    data: {
      messageId,
      channel: channel.kind,
      channelId,
      contactId,
      conversationId,
      from,
      to: channel.phoneNumber,
      type,
      text: body,
      payload,
      carrierMessageId,
    },
  });
  await applyOptOut(client, { accountId, channel, from, type, body, receivedAt });
  await onInbound(client, { accountId, channelId, contactId, type, body }, now);
  return { messageId, contactId, conversationId, receivedAt, repeated: false };
}
