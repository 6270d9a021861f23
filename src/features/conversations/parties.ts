import type pg from 'pg';
import { extractUserId, isParentUserId, USER_ID_ON_SMS_RULE } from '../../carriers/numbers/user-ids.js';
import type { Recipient, SendRequest } from '../../messages/compose/send-request.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, invalidField, notFound } from '../../platform/errors/app-error.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';
import { type Connection, withTransaction } from '../../platform/store/with-transaction.js';
import { type FindOptions, findOrCreateContact } from '../contacts/contacts.js';
import { findOrCreatePerson } from '../contacts/identity/person.js';
import { findChannelAccount, findPartyByPhone, findReachableContact, type Party } from './party-store.js';
import { isWindowOpen } from './window.js';

export type { Party } from './party-store.js';

export interface PartyOptions {
  pool: pg.Pool;
  clock: Clock;
}

/** Exactly one field is set. */
export interface SendTarget {
  /** Digits with country code. */
  to?: string;
  /** WhatsApp's ID. */
  userId?: string;
  contactId?: string;
}

export function getTargetField({ userId, contactId }: SendTarget): 'to' | 'userId' | 'contactId' {
  if (userId !== undefined) return 'userId';
  return contactId === undefined ? 'to' : 'contactId';
}

/**
 * Call this function in the transaction that commits the send, so that a refused send creates no contact or
 * conversation.
 */
export async function createParties(
  client: pg.PoolClient,
  { account, channelId, recipients, ...request }: SendRequest,
  now: Date,
): Promise<SendRequest> {
  const resolved: Recipient[] = [];
  for (const recipient of recipients) {
    if (recipient.contactId !== undefined || !channelId) {
      resolved.push(recipient);
      continue;
    }
    const { contactId, conversationId } = await findOrCreateParty(
      client,
      { accountId: account.id, channelId },
      recipient.digits,
      now,
    );
    resolved.push({ ...recipient, contactId, conversationId });
  }
  return { ...request, account, channelId, recipients: resolved };
}

export async function findOrCreateParty(
  connection: Connection,
  scope: { accountId: string; channelId: string },
  address: string,
  now: Date,
  options?: FindOptions,
): Promise<Party> {
  const userId = extractUserId(address);
  if (userId === null) {
    const { contactId, conversationId } = await findOrCreateContact(
      connection,
      { ...scope, phone: address, at: now },
      options,
    );
    return { contactId, conversationId };
  }
  const person = { ...scope, ...toUserIds(userId), phone: null, username: null, name: '', seenAt: now, at: now };
  const { contactId, conversationId } = await withTransaction(connection, (client) =>
    findOrCreatePerson(client, person),
  );
  return { contactId, conversationId };
}

function toUserIds(userId: string) {
  return isParentUserId(userId) ? { userId: null, parentUserId: userId } : { userId, parentUserId: null };
}

/** @param address digits with country code, or a WhatsApp user ID */
export async function isReplyWindowOpen(
  { pool, clock }: PartyOptions,
  channelId: string,
  address: string,
): Promise<boolean> {
  const accountId = await findChannelAccount(pool, channelId);
  if (accountId === null) return false;
  const userId = extractUserId(address);
  const scope = { accountId, channelId };
  const contact = await (userId === null
    ? findPartyByPhone(pool, scope, address)
    : findReachableContact(pool, scope, { userId }));
  return isWindowOpen(contact?.lastInboundAt ?? null, clock.now());
}

/** The address is the phone number if the target has one. */
export interface ResolvedTarget {
  /** Digits with country code, or a user ID. */
  address: string;
  party: Party | null;
}

export function createPartyLookup(
  { pool, clock }: PartyOptions,
  { account, channel }: { account: { id: string }; channel: { id: string; kind?: ChannelKind } },
) {
  const scope = { accountId: account.id, channelId: channel.id };
  const create = (address: string) => findOrCreateParty(pool, scope, address, clock.now());

  const resolve = async (target: SendTarget): Promise<ResolvedTarget & { lastInboundAt: Date | null }> => {
    const { to, userId, contactId } = target;
    if (to !== undefined) {
      const contact = await findPartyByPhone(pool, scope, to);
      const party = contact && { contactId: contact.contactId, conversationId: contact.conversationId };
      return { address: to, party, lastInboundAt: contact?.lastInboundAt ?? null };
    }
    if (userId !== undefined && channel.kind === 'sms') {
      throw invalidField('userId', USER_ID_ON_SMS_RULE);
    }
    const contact = await findReachableContact(
      pool,
      scope,
      userId === undefined ? { contactId: contactId ?? '' } : { userId },
    );
    if (!contact) {
      if (userId === undefined) throw notFound('contact', 'contactId');
      return { address: userId, party: null, lastInboundAt: null };
    }
    const address = channel.kind === 'sms' ? contact.phone : contact.address;
    if (address === null)
      throw invalidField(getTargetField(target), 'belongs to a contact whose phone number is not known');
    // A missing conversation is created when the send commits, so a refused send creates nothing.
    const { contactId: id, conversationId, lastInboundAt } = contact;
    return { address, party: conversationId === null ? null : { contactId: id, conversationId }, lastInboundAt };
  };

  return {
    /**
     * @throws {AppError} NOT_FOUND for an unknown contact, or INVALID_REQUEST for a contact without a usable address
     */
    find: async (target: SendTarget): Promise<ResolvedTarget> => resolve(target),

    create,

    /** @throws {AppError} WINDOW_EXPIRED, also for unknown numbers and user IDs, or any error of `find` */
    async requireOpenWindow(target: SendTarget): Promise<ResolvedTarget & { party: Party }> {
      const { address, party, lastInboundAt } = await resolve(target);
      if (!party || !isWindowOpen(lastInboundAt, clock.now())) {
        throw new AppError(
          'WINDOW_EXPIRED',
          channel.kind === 'sms'
            ? 'The contact sent no message within the last 24 hours; send an SMS by POST /v2/send instead.'
            : 'The contact sent no message within the last 24 hours; send a template message instead.',
        );
      }
      return { address, party };
    },
  };
}
