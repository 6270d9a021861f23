import type pg from 'pg';
import { storableId } from '../../carriers/carrier-message-id.js';
import { PLACEHOLDER_TYPE } from '../../carriers/content.js';
import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import { addressesOf, addressOf } from '../../carriers/numbers/user-ids.js';
import { emitEvents } from '../../messages/events/outbox.js';
import type { Clock } from '../../platform/clock.js';
import { idOf, newId } from '../../platform/ids.js';
import { inTransaction, isPool } from '../../platform/store/connections/pool.js';
import { sqlState, worthRepeating } from '../../platform/store/failures.js';
import { repeated } from '../../platform/store/repeat.js';
import { storable, storableJson } from '../../platform/store/storable.js';
import type { Connection } from '../../platform/store/within.js';
import { startRunByKeyword } from '../automations/triggers.js';
import { toContactName } from '../contacts/contact-fields.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { joinNumberForms } from '../contacts/identity/note-number.js';
import { type FoundPerson, findOrCreatePerson } from '../contacts/identity/person.js';
import { recordReceivedMedia, withMediaId } from '../media/received.js';
import { applyOptOut } from '../opt-outs/on-inbound.js';
import {
  fillInbound,
  findInbound,
  type InboundPlace,
  insertInbound,
  insertPastInbound,
  openWindow,
} from './inbound-store.js';

export interface ReceiveOptions {
  pool: Connection;
  clock: Clock;
  /** Files that messages bring are fetched from their carrier without being asked for. */
  fetchesMedia?: boolean;
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
 * not come back. Only a file of the past is told twice, and put into the message that holds its place.
 */
export async function receiveInbound(
  { pool, clock, fetchesMedia = false }: ReceiveOptions,
  channel: InboundChannel,
  given: InboundReport,
): Promise<ReceivedInbound> {
  const report = storableReport(given);
  const isOwn = isPool(pool);
  return repeated(
    async () => {
      const stored = await findInbound(pool, channel.id, report.carrierMessageId);
      const at = { now: clock.now(), fetchesMedia };
      const within = <Result>(work: (client: pg.PoolClient) => Promise<Result>) =>
        isOwn ? inTransaction(pool, work) : work(pool);
      if (!stored) return await within((client) => store(client, channel, report, at));
      const { lacksFile, ...place } = stored;
      if (lacksFile && report.isPast && report.type !== PLACEHOLDER_TYPE) {
        await within((client) => fill(client, channel, place.messageId, report, at));
      }
      return { ...place, repeated: true };
    },
    // Where another transaction stored it first, that one has committed: its row is there to be found.
    // The caller's transaction is the caller's to repeat.
    // So is a contact whose number somebody has just entered.
    (error) =>
      error instanceof StoredByAnother || (isOwn && (worthRepeating(error) || sqlState(error) === UNIQUE_VIOLATION)),
  );
}

function storableReport(report: InboundReport): InboundReport {
  return {
    ...report,
    carrierMessageId: storableId(report.carrierMessageId),
    type: storable(report.type),
    body: storable(report.body),
    payload: storableJson(report.payload),
    ...(report.profileName !== undefined && { profileName: storable(report.profileName) }),
    ...(report.username !== undefined && { username: toContactName(storable(report.username)) }),
  };
}

class StoredByAnother extends Error {}

const UNIQUE_VIOLATION = '23505';

async function store(
  client: pg.PoolClient,
  channel: InboundChannel,
  given: InboundReport,
  { now, fetchesMedia }: { now: Date; fetchesMedia: boolean },
): Promise<ReceivedInbound> {
  const { id: channelId, accountId } = channel;
  const report = { ...given, payload: withMediaId(given) };
  const { carrierMessageId, type, body, payload } = report;
  const receivedAt = report.receivedAt < now ? report.receivedAt : now;
  const isPast = report.isPast === true;
  const at = isPast ? receivedAt : now;
  const joinForms = async () => {
    if (channel.kind === 'whatsapp' && report.from !== null) {
      await joinNumberForms(client, { accountId, channelId }, report.from, at);
    }
  };
  // Before: a contact with the other form is the sender. After: a new contact has both.
  await joinForms();
  const { contactId, conversationId, ids } = await findSender(client, channel, report, { receivedAt, now: at });
  await joinForms();
  const messageId = isPast ? idOf(receivedAt, `${channelId} ${carrierMessageId}`) : newId();
  const row = {
    id: messageId,
    accountId,
    channelId,
    conversationId,
    from: addressOf(ids) ?? '',
    carrierMessageId,
    type,
    body,
    payload,
    receivedAt,
  };
  // Its id is of that time too, by which a look at a stretch of time finds it.
  const stored = { ...row, createdAt: at };
  const inserted = await (isPast ? insertPastInbound(client, stored) : insertInbound(client, stored));
  if (!inserted) throw new StoredByAnother();
  await recordReceivedMedia(client, channel, { ...row, createdAt: now }, fetchesMedia ? now : null);
  await openWindow(client, conversationId, receivedAt, { isUnread: !isPast });
  const place = { messageId, contactId, conversationId, receivedAt, repeated: false };
  // The text of an MMS is what the contact wrote, not the caption of its picture.
  const spokenAs = channel.kind === 'sms' && type !== 'binary' ? 'text' : type;
  // Who wrote STOP then wants nothing now either.
  await applyOptOut(client, { accountId, channel, addresses: addressesOf(ids), type: spokenAs, body, receivedAt });
  if (isPast) return place;
  const event = { accountId, channelId, type: 'message.received', occurredAt: receivedAt } as const;
  await emitEvents(client, event, [{ messageId, channel, contactId, conversationId, sender: ids, report }]);
  await startRunByKeyword(client, { accountId, channelId, contactId, type: spokenAs, body }, now);
  return place;
}

/** A file of the past is told apart from its message: the message was stored, and all that its words mean has been done. */
async function fill(
  client: pg.PoolClient,
  channel: InboundChannel,
  messageId: string,
  given: InboundReport,
  { now, fetchesMedia }: { now: Date; fetchesMedia: boolean },
): Promise<void> {
  const report = { ...given, payload: withMediaId(given) };
  if (!(await fillInbound(client, messageId, report))) return;
  const message = { id: messageId, payload: report.payload, createdAt: now };
  await recordReceivedMedia(client, channel, message, fetchesMedia ? now : null);
}

/** Whose message it is. One who comes by a number and nothing else, as with every SMS, is looked for by that alone. */
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
    const asked = { accountId, channelId, phone, name: profileName, at: now };
    const { known, ...found } = await findOrCreateContact(client, asked, { lock: true });
    return { ...found, ids: known };
  }
  const ids = { phone, userId, parentUserId, username };
  return findOrCreatePerson(client, { accountId, channelId, ...ids, name: profileName, seenAt: receivedAt, at: now });
}
