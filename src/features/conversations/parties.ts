import type pg from 'pg';
import { isParentUserId, USER_ID_ON_SMS_RULE, userIdIn } from '../../carriers/numbers/user-ids.js';
import type { Recipient, SendRequest } from '../../messages/compose/send-request.js';
import type { Clock } from '../../platform/clock.js';
import { AppError, invalidField } from '../../platform/errors/app-error.js';
import type { ChannelKind } from '../../platform/generated/prisma/client.js';
import { type Connection, within } from '../../platform/store/within.js';
import { type FindOptions, findOrCreateContact } from '../contacts/contacts.js';
import { findOrCreatePerson } from '../contacts/identity/person.js';
import { findOwner, findParty, findReached, type Party } from './party-store.js';
import { isWindowOpen } from './window.js';

export type { Party } from './party-store.js';

export interface PartyOptions {
  pool: pg.Pool;
  clock: Clock;
}

/** To whom a channel sends: exactly one of these. */
export interface SendTarget {
  /** Digits with country code. */
  to?: string;
  /** WhatsApp's id of the person. */
  userId?: string;
  contactId?: string;
}

/** The field that says to whom a send goes. */
export function fieldOf({ userId, contactId }: SendTarget): 'to' | 'userId' | 'contactId' {
  if (userId !== undefined) return 'userId';
  return contactId === undefined ? 'to' : 'contactId';
}

/**
 * The send with a contact and a conversation for each recipient who had none yet, made in the transaction that commits it:
 * a send that is refused leaves none behind.
 */
export async function makeParties(
  client: pg.PoolClient,
  { account, channelId, recipients, ...request }: SendRequest,
  at: Date,
): Promise<SendRequest> {
  const known: Recipient[] = [];
  for (const recipient of recipients) {
    if (recipient.contactId !== undefined || !channelId) {
      known.push(recipient);
      continue;
    }
    const { contactId, conversationId } = await makeParty(
      client,
      { accountId: account.id, channelId },
      recipient.digits,
      at,
    );
    known.push({ ...recipient, contactId, conversationId });
  }
  return { ...request, account, channelId, recipients: known };
}

/** The contact of an address and its conversation, made unless they are there. */
export async function makeParty(
  connection: Connection,
  scope: { accountId: string; channelId: string },
  address: string,
  at: Date,
  options?: FindOptions,
): Promise<Party> {
  const userId = userIdIn(address);
  if (userId === null) {
    const { contactId, conversationId } = await findOrCreateContact(
      connection,
      { ...scope, phone: address, at },
      options,
    );
    return { contactId, conversationId };
  }
  const person = { ...scope, ...idsOf(userId), phone: null, username: null, name: '', seenAt: at, at };
  const { contactId, conversationId } = await within(connection, (client) => findOrCreatePerson(client, person));
  return { contactId, conversationId };
}

function idsOf(userId: string) {
  return isParentUserId(userId) ? { userId: null, parentUserId: userId } : { userId, parentUserId: null };
}

/**
 * Whether free text may be sent from a channel to an address now.
 * @param address digits with country code, or a user id of WhatsApp
 */
export async function isReplyWindowOpen(
  { pool, clock }: PartyOptions,
  channelId: string,
  address: string,
): Promise<boolean> {
  const accountId = await findOwner(pool, channelId);
  if (accountId === null) return false;
  const userId = userIdIn(address);
  const scope = { accountId, channelId };
  const found = await (userId === null ? findParty(pool, scope, address) : findReached(pool, scope, { userId }));
  return isWindowOpen(found?.lastInboundAt ?? null, clock.now());
}

/** Who is sent to, and where the message goes: to the number, where one is known. */
export interface Target {
  /** Digits with country code, or a user id. */
  address: string;
  /** Null of somebody who is no contact yet, or a contact without a conversation. */
  party: Party | null;
}

/** The contacts of a channel as its sends find them. */
export function parties(
  { pool, clock }: PartyOptions,
  { account, channel }: { account: { id: string }; channel: { id: string; kind?: ChannelKind } },
) {
  const scope = { accountId: account.id, channelId: channel.id };
  const make = (address: string) => makeParty(pool, scope, address, clock.now());

  const look = async (target: SendTarget): Promise<Target & { lastInboundAt: Date | null }> => {
    const { to, userId, contactId } = target;
    if (to !== undefined) {
      const found = await findParty(pool, scope, to);
      const party = found && { contactId: found.contactId, conversationId: found.conversationId };
      return { address: to, party, lastInboundAt: found?.lastInboundAt ?? null };
    }
    if (userId !== undefined && channel.kind === 'sms') {
      throw invalidField('userId', USER_ID_ON_SMS_RULE);
    }
    const found = await findReached(pool, scope, userId === undefined ? { contactId: contactId ?? '' } : { userId });
    if (!found) {
      if (userId === undefined) throw new AppError('NOT_FOUND', 'There is no contact with this contactId.');
      return { address: userId, party: null, lastInboundAt: null };
    }
    const address = channel.kind === 'sms' ? found.phone : found.address;
    if (address === null) throw invalidField(fieldOf(target), 'is of a contact whose number is not known');
    // One that it lacks is made by whoever sends: a look that ends in a refusal leaves nothing behind.
    const { contactId: id, conversationId, lastInboundAt } = found;
    return { address, party: conversationId === null ? null : { contactId: id, conversationId }, lastInboundAt };
  };

  return {
    /** @throws {AppError} NOT_FOUND for an unknown contact; INVALID_REQUEST for one who cannot be reached */
    find: async (target: SendTarget): Promise<Target> => look(target),

    /** Makes contact and conversation of an address unless another request has just made them. */
    make,

    /**
     * Who wrote within the last 24 hours.
     * @throws {AppError} WINDOW_EXPIRED if not, an unknown number or user id included; as `find`
     */
    async requireOpenWindow(target: SendTarget): Promise<Target & { party: Party }> {
      const { address, party, lastInboundAt } = await look(target);
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
