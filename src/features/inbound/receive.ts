import type pg from 'pg';
import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import { emitEvents } from '../../messages/events/outbox.js';
import type { Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { worthRepeating } from '../../platform/store/failures.js';
import { inTransaction, isPool } from '../../platform/store/pool.js';
import { repeated } from '../../platform/store/repeat.js';
import { storable, storableJson } from '../../platform/store/storable.js';
import type { Connection } from '../../platform/store/within.js';
import { onInbound } from '../automations/triggers.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { applyOptOut } from '../opt-outs/on-inbound.js';
import { findInbound, type InboundPlace, insertInbound, openWindow } from './inbound-store.js';

export interface ReceiveOptions {
  pool: Connection;
  clock: Clock;
}

/** Where an inbound message is stored: for a repetition, where it was stored then. */
export interface ReceivedInbound extends InboundPlace {
  /** The carrier's id was known already, so nothing was changed. */
  repeated: boolean;
}

/**
 * Stores a message from a contact and all that follows from it, in one transaction, that of the caller where there is one: contact and conversation are found
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
  const isOwn = isPool(pool);
  return repeated(
    async () => {
      const stored = await findInbound(pool, channel.id, report.carrierMessageId);
      if (stored) return { ...stored, repeated: true };
      const work = (client: pg.PoolClient) => store(client, channel, report, clock.now());
      return await (isOwn ? inTransaction(pool, work) : work(pool));
    },
    // Where another transaction stored it first, that one has committed: its row is there to be found.
    // The caller's transaction is the caller's to repeat.
    (error) => error instanceof StoredByAnother || (isOwn && worthRepeating(error)),
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
  const row = {
    id: messageId,
    accountId,
    channelId,
    conversationId,
    from,
    carrierMessageId,
    type,
    body,
    payload,
    receivedAt,
  };
  const inserted = await insertInbound(client, { ...row, createdAt: now });
  if (!inserted) throw new StoredByAnother();
  await openWindow(client, conversationId, receivedAt);
  const event = { accountId, channelId, type: 'message.received', occurredAt: receivedAt } as const;
  await emitEvents(client, event, [{ messageId, channel, contactId, conversationId, report }]);
  await applyOptOut(client, { accountId, channel, from, type, body, receivedAt });
  await onInbound(client, { accountId, channelId, contactId, type, body }, now);
  return { messageId, contactId, conversationId, receivedAt, repeated: false };
}
