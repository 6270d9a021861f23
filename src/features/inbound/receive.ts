import type pg from 'pg';
import type { Logger } from 'pino';
import type { ChangeTransaction } from '../../accounts/audit/change.js';
import { AccountLocked } from '../../accounts/locked-accounts.js';
import { toStorableId } from '../../carriers/carrier-message-id.js';
import { PLACEHOLDER_TYPE } from '../../carriers/content.js';
import type { InboundChannel, InboundReport } from '../../carriers/inbound-message.js';
import { toAddress } from '../../carriers/numbers/user-ids.js';
import type { AcceptingTransaction } from '../../messages/accept/accept-within.js';
import type { Acceptor } from '../../messages/accept/acceptor.js';
import { emitEvents } from '../../messages/events/outbox.js';
import type { Clock } from '../../platform/clock.js';
import { AppError } from '../../platform/errors/app-error.js';
import type { FaultPoints } from '../../platform/faults.js';
import { deriveId, newId } from '../../platform/ids.js';
import { inTransaction, isPool } from '../../platform/store/connections/pool.js';
import { getSqlState, isRetryable } from '../../platform/store/failures.js';
import { retryTransaction } from '../../platform/store/repeat.js';
import { toStorable, toStorableJson } from '../../platform/store/storable.js';
import type { Connection } from '../../platform/store/with-transaction.js';
import { isAutomationKeyword, startRunByKeyword } from '../automations/triggers.js';
import { confirmConsent } from '../consents/double-opt-in/confirm.js';
import { toContactName } from '../contacts/contact-fields.js';
import { findOrCreateContact } from '../contacts/contacts.js';
import { type FoundPerson, findOrCreatePerson } from '../contacts/identity/person.js';
import { joinNumberForms } from '../contacts/identity/record-number.js';
import { planReply, type ReplyPlan } from '../keyword-replies/plan.js';
import { replyToKeyword } from '../keyword-replies/reply.js';
import { recordReceivedMedia, withMediaId } from '../media/received.js';
import { findKeyword, getKeywordType, type MessageKeyword } from '../opt-outs/message-keyword.js';
import { applyOptOut } from '../opt-outs/on-inbound.js';
import {
  fillInbound,
  findInbound,
  type InboundLocation,
  insertInbound,
  insertPastInbound,
  openWindow,
} from './inbound-store.js';

export interface ReceiveOptions extends KeywordReplyOptions {
  pool: Connection;
  clock: Clock;
  fetchesMedia?: boolean;
}

interface KeywordReplyOptions {
  log: Logger;
  /** Null in a process that cannot send, whose messages get no replies to keywords. */
  acceptor: Pick<Acceptor, 'acceptWithin'> | null;
  /** Required if `pool` is the connection of a change. */
  change?: Pick<ChangeTransaction, 'client' | 'afterCommit'>;
  faults?: FaultPoints;
}

/** A reply must not delay the messages of other accounts for longer, because a carrier's messages are stored in order. */
const LOCK_PATIENCE_MS = 3_000;

export interface ReceivedInbound extends InboundLocation {
  repeated: boolean;
}

/**
 * Stores an inbound message and all its effects in one transaction. A message whose carrier ID is already stored
 * changes nothing, even if its contact was deleted. The only exception is a file from before the channel was connected,
 * because Meta reports such a file after its message.
 */
export async function receiveInbound(
  options: ReceiveOptions,
  channel: InboundChannel,
  reported: InboundReport,
): Promise<ReceivedInbound> {
  const { pool, clock, fetchesMedia = false } = options;
  const report = toStorableReport(reported);
  const isOwnTransaction = isPool(pool);
  return retryTransaction(
    async () => {
      const existing = await findInbound(pool, channel.id, report.carrierMessageId);
      const moment = { now: clock.now(), fetchesMedia };
      const runInTransaction = <Result>(work: (client: pg.PoolClient) => Promise<Result>) =>
        isOwnTransaction ? inTransaction(pool, work) : work(pool);
      if (!existing) return await receiveNewMessage(options, channel, report, moment, runInTransaction);
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

interface Moment {
  now: Date;
  fetchesMedia: boolean;
}

/** Locks the account first if the message may get a reply, because accounts are locked before contacts. */
async function receiveNewMessage(
  options: ReceiveOptions,
  channel: InboundChannel,
  report: InboundReport,
  moment: Moment,
  runInTransaction: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>,
): Promise<ReceivedInbound> {
  const { pool, acceptor, change } = options;
  const keyword = await findKeyword(pool, channel.accountId, { kind: channel.kind, ...report });
  const plan = keyword && !report.isPast ? await planReply(pool, channel, keyword) : null;
  const store = (client: pg.PoolClient, transaction: AcceptingTransaction | null) =>
    storeNewMessage(client, options, channel, report, moment, { keyword, plan, transaction });
  const host = isPool(pool) ? pool : change;
  if (plan === null || acceptor === null || !host) return runInTransaction((client) => store(client, null));
  const payment = {
    listPayers: () => [channel.accountId],
    lockPatienceMs: LOCK_PATIENCE_MS,
    faultPoint: 'keyword-reply:committed',
  };
  try {
    return await acceptor.acceptWithin(host, payment, (transaction) => store(transaction.client, transaction));
  } catch (error) {
    const isLocked = error instanceof AccountLocked || (error instanceof AppError && error.code === 'UNAVAILABLE');
    if (!isPool(pool) || !isLocked) throw error;
    return runInTransaction((client) => store(client, null));
  }
}

interface KeywordHandling {
  keyword: MessageKeyword | null;
  /** Null if the channel does not reply to keywords. */
  plan: ReplyPlan | null;
  /** Null if nothing can be sent in the transaction. */
  transaction: AcceptingTransaction | null;
}

async function storeNewMessage(
  client: pg.PoolClient,
  { log, faults }: ReceiveOptions,
  channel: InboundChannel,
  reported: InboundReport,
  { now, fetchesMedia }: Moment,
  { keyword, plan, transaction }: KeywordHandling,
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
  // A STOP that was sent before the channel was connected also counts.
  const isInEffect = keyword === null || (await applyOptOut(client, keyword, { channel, contactId, ids, receivedAt }));
  if (isPast) return location;
  if (keyword === null && (await confirmConsent(client, { channel, contactId, ids, type, body, receivedAt }, now))) {
    await faults?.hit('consent:confirmed');
  }
  const event = { accountId, channelId, type: 'message.received', occurredAt: receivedAt } as const;
  await emitEvents(client, event, [{ messageId, channel, contactId, conversationId, sender: ids, report }]);
  const trigger = { accountId, channelId, contactId, type: getKeywordType({ kind: channel.kind, type }), body };
  await startRunByKeyword(client, trigger, now);
  if (plan && !(plan.keyword.meaning === 'help' && (await isAutomationKeyword(client, trigger)))) {
    const answered = { ...location, contactId, conversationId, address: toAddress(ids), isInEffect };
    await replyToKeyword(client, transaction, plan, answered, { log, now });
    await faults?.hit('keyword-reply:before-commit');
  }
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
