import type pg from 'pg';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import { PLACEHOLDER_TYPE } from '../../carriers/content.js';
import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import { toAddress, toAddresses } from '../../carriers/numbers/user-ids.js';
import { emitEvents } from '../../messages/events/outbox.js';
import type { Clock } from '../../platform/clock.js';
import { deriveId, newId } from '../../platform/ids.js';
import { inTransaction, isPool } from '../../platform/store/connections/pool.js';
import { getSqlState, isRetryable } from '../../platform/store/failures.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import { toStorable, toStorableJson } from '../../platform/store/storable.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { startRunByKeyword } from '../automations/triggers.js';
import { toContactName } from '../contacts/contact-fields.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { type FoundPerson, findOrCreatePerson } from '../contacts/identity/person.js';
import { joinNumberForms } from '../contacts/identity/record-number.js';
import { recordReceivedMedia, withMediaId } from '../media/received.js';
import { applyOptOut } from '../opt-outs/on-inbound.js';
import {
  fillInbound,
  findInbound,
  type InboundLocation,
  insertInbound,
  insertPastInbound,
  openWindow,
} from './inbound-store.js';

export interface ReceiveOptions {
  pool: Connection;
  clock: Clock;
  fetchesMedia?: boolean;
}

export interface ReceivedInbound extends InboundLocation {
  repeated: boolean;
}

/**
 * Stores an inbound message and all its effects in one transaction. A message whose carrier ID is already stored
 * changes nothing, even if its contact was deleted. The only exception is a file from before the channel was connected,
 * because Meta reports such a file after its message.
 */
export async function receiveInbound(
  { pool, clock, fetchesMedia = false }: ReceiveOptions,
  channel: InboundChannel,
  reported: InboundReport,
): Promise<ReceivedInbound> {
  const report = toStorableReport(reported);
  const isOwnTransaction = isPool(pool);
  return retryTransaction(
    async () => {
      const existing = await findInbound(pool, channel.id, report.carrierMessageId);
      const moment = { now: clock.now(), fetchesMedia };
      const runInTransaction = <Result>(work: (client: pg.PoolClient) => Promise<Result>) =>
        isOwnTransaction ? inTransaction(pool, work) : work(pool);
      if (!existing) return await runInTransaction((client) => storeNewMessage(client, channel, report, moment));
      const { lacksFile, ...location } = existing;
      if (lacksFile && report.isPast && report.type !== PLACEHOLDER_TYPE) {
        await runInTransaction((client) => addFile(client, channel, location.messageId, report, moment));
      }
      return { ...location, repeated: true };
    },
    // If another transaction has just stored the message or its contact, the next attempt finds the stored row.
    (error) =>
      error instanceof StoredConcurrently ||
      (isOwnTransaction && (isRetryable(error) || getSqlState(error) === UNIQUE_VIOLATION)),
  );
}

function toStorableReport(report: InboundReport): InboundReport {
  return {
    ...report,
    carrierMessageId: toStorableId(report.carrierMessageId),
    type: toStorable(report.type),
    body: toStorable(report.body),
    payload: toStorableJson(report.payload),
    ...(report.profileName !== undefined && { profileName: toStorable(report.profileName) }),
    ...(report.username !== undefined && { username: toContactName(toStorable(report.username)) }),
  };
}

class StoredConcurrently extends Error {}

const UNIQUE_VIOLATION = '23505';

async function storeNewMessage(
  client: pg.PoolClient,
  channel: InboundChannel,
  reported: InboundReport,
  { now, fetchesMedia }: { now: Date; fetchesMedia: boolean },
): Promise<ReceivedInbound> {
  const { id: channelId, accountId } = channel;
  const report = { ...reported, payload: withMediaId(reported) };
  const { carrierMessageId, type, body, payload } = report;
  const receivedAt = report.receivedAt < now ? report.receivedAt : now;
  const isPast = report.isPast === true;
  const effectiveAt = isPast ? receivedAt : now;
  const joinForms = async () => {
    if (channel.kind === 'whatsapp' && report.from !== null) {
      await joinNumberForms(client, { accountId, channelId }, report.from, effectiveAt);
    }
  };
  // The two forms of a number are joined first to find a contact under either form, and again later to give a new
  // contact both forms.
  await joinForms();
  const { contactId, conversationId, ids } = await findSender(client, channel, report, {
    receivedAt,
    now: effectiveAt,
  });
  await joinForms();
  const messageId = isPast ? deriveId(receivedAt, `${channelId} ${carrierMessageId}`) : newId();
  const row = {
    id: messageId,
    accountId,
    channelId,
    conversationId,
    from: toAddress(ids) ?? '',
    carrierMessageId,
    type,
    body,
    payload,
    receivedAt,
  };
  // `createdAt` equals the time in the message ID, because lists use IDs to filter by time.
  const stored = { ...row, createdAt: effectiveAt };
  const inserted = await (isPast ? insertPastInbound(client, stored) : insertInbound(client, stored));
  if (!inserted) throw new StoredConcurrently();
  await recordReceivedMedia(client, channel, { ...row, createdAt: now }, fetchesMedia ? now : null);
  await openWindow(client, conversationId, receivedAt, { isUnread: !isPast });
  const location = { messageId, contactId, conversationId, receivedAt, repeated: false };
  // The text of an MMS can be a keyword, unlike the caption of a WhatsApp file.
  const keywordType = channel.kind === 'sms' && type !== 'binary' ? 'text' : type;
  // A STOP that was sent before the channel was connected also counts.
  await applyOptOut(client, { accountId, channel, addresses: toAddresses(ids), type: keywordType, body, receivedAt });
  if (isPast) return location;
  const event = { accountId, channelId, type: 'message.received', occurredAt: receivedAt } as const;
  await emitEvents(client, event, [{ messageId, channel, contactId, conversationId, sender: ids, report }]);
  await startRunByKeyword(client, { accountId, channelId, contactId, type: keywordType, body }, now);
  return location;
}

async function addFile(
  client: pg.PoolClient,
  channel: InboundChannel,
  messageId: string,
  reported: InboundReport,
  { now, fetchesMedia }: { now: Date; fetchesMedia: boolean },
): Promise<void> {
  const report = { ...reported, payload: withMediaId(reported) };
  if (!(await fillInbound(client, messageId, report))) return;
  const message = { id: messageId, payload: report.payload, createdAt: now };
  await recordReceivedMedia(client, channel, message, fetchesMedia ? now : null);
}

async function findSender(
  client: pg.PoolClient,
  { id: channelId, accountId }: InboundChannel,
  { from: phone, profileName = '', ...report }: InboundReport,
  { receivedAt, now }: { receivedAt: Date; now: Date },
): Promise<FoundPerson> {
  const userId: string | null = report.userId ?? null;
  const parentUserId: string | null = report.parentUserId ?? null;
  const username = report.username ?? null;
  if (phone !== null && userId === null && parentUserId === null && username === null) {
    const contact = { accountId, channelId, phone, name: profileName, at: now };
    const { known, ...found } = await findOrCreateContact(client, contact, { lock: true });
    return { ...found, ids: known };
  }
  const ids = { phone, userId, parentUserId, username };
  return findOrCreatePerson(client, { accountId, channelId, ...ids, name: profileName, seenAt: receivedAt, at: now });
}
