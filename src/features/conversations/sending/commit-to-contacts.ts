import type pg from 'pg';
import { findWatch } from '../../../accounts/guard/guard.js';
import type { AcceptingTransaction } from '../../../messages/accept/accept-within.js';
import type { RecipientsAtLimit } from '../../../messages/accept/guard/commit-guarded.js';
import { buildDestinationCheck } from '../../../messages/accept/guard/destinations.js';
import { listLimits } from '../../../messages/accept/guard/limits.js';
import type { PendingRequest } from '../../../messages/accept/pending-request.js';
import type { Recipient, SendRequest } from '../../../messages/compose/send-request.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { insertLinks, type LinksOfMessage } from '../../links/link-store.js';
import { ensureConversations, type LockedContact, lockContacts, touchConversations } from '../party-store.js';
import { type ChannelSender, type ComposedMessage, type SendOptions, toChannelRequest } from './compose.js';

export interface CommitOptions {
  clock: Clock;
}

export type AddressedContact = LockedContact & { address: string };

function isAddressed(contact: LockedContact): contact is AddressedContact {
  return contact.address !== null;
}

export type ComposeForEach = (
  client: pg.PoolClient,
  contacts: readonly AddressedContact[],
) => Promise<readonly (ComposedMessage | null)[]>;

export interface ContactsCommit {
  pending: readonly PendingRequest[];
  skipped: number;
  refused: number;
  /** Contacts who have reached the frequency cap. */
  capped: number;
  contactIds: readonly string[];
}

/**
 * Skips contacts that were deleted, have no address left, are refused by the account's spending guard, or have reached
 * its frequency cap. Returns null
 * if the account cannot pay for all messages, so that the caller must roll back.
 * @param transaction The payer must be the account of the sender.
 * @throws {AppError} LIMIT_REACHED if all messages together exceed the account's limit
 */
export async function commitToContacts(
  { clock }: CommitOptions,
  transaction: AcceptingTransaction,
  sender: ChannelSender,
  message: ComposedMessage | ComposeForEach,
  contactIds: readonly string[],
  options: SendOptions,
): Promise<ContactsCommit | null> {
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  const { client } = transaction;
  const locked = (await lockContacts(client, scope, contactIds, options.campaignId)).filter(isAddressed);
  const checkDestination = await buildDestinationCheck(sender.account);
  const allowed = checkDestination ? locked.filter(({ address }) => checkDestination(address) === null) : locked;
  const composed = typeof message === 'function' ? await message(client, allowed) : null;
  const composedContacts = composed ? allowed.filter((_, index) => composed[index]) : allowed;
  const messages = composed ? composed.filter((each) => each !== null) : (message as ComposedMessage);
  const requestsTo = (recipients: readonly Recipient[]) => toRequests(sender, messages, recipients, options);
  const atLimit = await findRecipientsAtLimit(transaction, sender, requestsTo, composedContacts);
  const contacts = composedContacts.filter(({ address }) => !atLimit.has(address));
  const capped = composedContacts.filter(({ address }) => atLimit.get(address) === 'cap').length;
  const counts = {
    skipped: allowed.length - composedContacts.length,
    refused: locked.length - allowed.length + composedContacts.length - contacts.length - capped,
    capped,
    contactIds: locked.map(({ id }) => id),
  };
  if (contacts.length === 0) return { pending: [], ...counts };
  const ids = contacts.map((contact) => contact.id);
  const now = clock.now();
  const conversations = await ensureConversations(client, scope, ids, now);
  const recipients = composedContacts.map(({ id, address }) => ({
    digits: address,
    plus: false,
    contactId: id,
    conversationId: conversations.get(id),
  }));
  const pending: PendingRequest[] = [];
  const linked: LinksOfMessage[] = [];
  for (const [index, request] of requestsTo(recipients).entries()) {
    const allowedRequest = atLimit.size === 0 ? request : removeRecipients(request, atLimit);
    if (allowedRequest.recipients.length === 0) continue;
    const prepared = await transaction.prepare(allowedRequest);
    pending.push(prepared);
    const { links } = Array.isArray(messages) ? (messages[index] as ComposedMessage) : {};
    const [messageId] = prepared.ids as [string];
    if (links) linked.push({ messageId, ...scope, campaignId: options.campaignId ?? null, links });
  }
  await touchConversations(client, [...conversations.values()], now);
  // All messages have the same outcome, because one account pays for them.
  const outcomes = await transaction.commit(pending);
  const refusal = outcomes.find((outcome) => outcome instanceof AppError);
  if (refusal) throw refusal;
  if (outcomes[0] !== 'accepted') return null;
  await insertLinks(client, linked);
  return { pending, ...counts };
}

/** If the message is the same for all recipients, one request suffices. */
function toRequests(
  sender: ChannelSender,
  messages: ComposedMessage | readonly ComposedMessage[],
  recipients: readonly Recipient[],
  options: SendOptions,
): SendRequest[] {
  return Array.isArray(messages)
    ? messages.map((each, index) => toChannelRequest(sender, each, recipients.slice(index, index + 1), options))
    : [toChannelRequest(sender, messages as ComposedMessage, recipients, options)];
}

async function findRecipientsAtLimit(
  { prepare, findRecipientsAtLimit }: AcceptingTransaction,
  { account }: ChannelSender,
  requestsTo: (recipients: readonly Recipient[]) => SendRequest[],
  contacts: readonly AddressedContact[],
): Promise<RecipientsAtLimit> {
  const mayBeRefused =
    Boolean(account.frequencyCap) ||
    findWatch(account) !== null ||
    listLimits(account).some(({ scope }) => scope === 'recipient');
  if (contacts.length === 0 || !mayBeRefused) return new Map();
  const requests = requestsTo(contacts.map(({ address }) => ({ digits: address, plus: false })));
  return findRecipientsAtLimit(await Promise.all(requests.map(prepare)));
}

function removeRecipients(request: SendRequest, addresses: RecipientsAtLimit): SendRequest {
  return { ...request, recipients: request.recipients.filter(({ digits }) => !addresses.has(digits)) };
}
