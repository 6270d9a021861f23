import type pg from 'pg';
import { watchOf } from '../../../accounts/guard/guard.js';
import { destinationJudge } from '../../../messages/accept/guard/destinations.js';
import { limitsOf } from '../../../messages/accept/guard/limits.js';
import type { PendingRequest } from '../../../messages/accept/pending-request.js';
import type { AcceptingTransaction } from '../../../messages/accept/within.js';
import type { Recipient, SendRequest } from '../../../messages/compose/send-request.js';
import type { Clock } from '../../../platform/clock.js';
import { AppError } from '../../../platform/errors/app-error.js';
import { ensureConversations, type LockedContact, lockContacts, touchConversations } from '../party-store.js';
import { type ChannelSender, type ComposedMessage, channelRequest, type SendOptions } from './compose.js';

export interface CommitOptions {
  clock: Clock;
}

/** A contact to whom something can be sent. */
export type AddressedContact = LockedContact & { address: string };

function isAddressed(contact: LockedContact): contact is AddressedContact {
  return contact.address !== null;
}

/** Composes what each of some contacts is sent, in order; null for one who is passed over. */
export type ComposeForEach = (
  client: pg.PoolClient,
  contacts: readonly AddressedContact[],
) => Promise<readonly (ComposedMessage | null)[]>;

/** What was committed. */
export interface CommittedToContacts {
  /** What was accepted; empty when none of the contacts is left. */
  pending: readonly PendingRequest[];
  /** Contacts to whom nothing was composed. */
  skipped: number;
  /** Those to whom the guard of the account lets nothing be sent. */
  refused: number;
  /** Whom it was about: some of those that were named may have become others. */
  contactIds: readonly string[];
}

/**
 * Commits a message to each of some contacts with whatever else the caller's transaction does: debit, messages and the
 * conversations that lack. Contacts that were deleted in between get none, nor do those whose number has moved on and of
 * whom nothing else is known, nor those whom the guard of the account refuses.
 * @param transaction whose payer is the account of the sender
 * @param message the same for all of them, or composed for each
 * @returns null when the account cannot pay for all of them; then the transaction must be rolled back
 * @throws {AppError} LIMIT_REACHED where all of them together are more than the account may send
 */
export async function commitToContacts(
  { clock }: CommitOptions,
  transaction: AcceptingTransaction,
  sender: ChannelSender,
  message: ComposedMessage | ComposeForEach,
  contactIds: readonly string[],
  options: SendOptions,
): Promise<CommittedToContacts | null> {
  const scope = { accountId: sender.account.id, channelId: sender.channel.id };
  const { client } = transaction;
  const locked = (await lockContacts(client, scope, contactIds, options.campaignId)).filter(isAddressed);
  const judge = await destinationJudge(sender.account);
  const found = judge ? locked.filter(({ address }) => judge(address) === null) : locked;
  const composed = typeof message === 'function' ? await message(client, found) : null;
  const reached = composed ? found.filter((_, index) => composed[index]) : found;
  const messages = composed ? composed.filter((each) => each !== null) : (message as ComposedMessage);
  const requestsTo = (recipients: readonly Recipient[]) => requestsOf(sender, messages, recipients, options);
  const atLimit = await recipientsAtLimit(transaction, sender, requestsTo, reached);
  const contacts = reached.filter(({ address }) => !atLimit.has(address));
  const passedOver = {
    skipped: found.length - reached.length,
    refused: locked.length - found.length + reached.length - contacts.length,
    contactIds: locked.map(({ id }) => id),
  };
  if (contacts.length === 0) return { pending: [], ...passedOver };
  const ids = contacts.map((contact) => contact.id);
  const now = clock.now();
  const conversations = await ensureConversations(client, scope, ids, now);
  const recipients = reached.map(({ id, address }) => ({
    digits: address,
    plus: false,
    contactId: id,
    conversationId: conversations.get(id),
  }));
  const pending: PendingRequest[] = [];
  for (const request of requestsTo(recipients)) {
    const left = atLimit.size === 0 ? request : without(request, atLimit);
    if (left.recipients.length > 0) pending.push(await transaction.prepare(left));
  }
  await touchConversations(client, [...conversations.values()], now);
  // One account pays for all of them: either it can or it cannot.
  const outcomes = await transaction.commit(pending);
  const refusal = outcomes.find((outcome) => outcome instanceof AppError);
  if (refusal) throw refusal;
  return outcomes[0] === 'accepted' ? { pending, ...passedOver } : null;
}

/** A request to each of some recipients, or one to all of them where their message is the same. */
function requestsOf(
  sender: ChannelSender,
  messages: ComposedMessage | readonly ComposedMessage[],
  recipients: readonly Recipient[],
  options: SendOptions,
): SendRequest[] {
  return Array.isArray(messages)
    ? messages.map((each, index) => channelRequest(sender, each, recipients.slice(index, index + 1), options))
    : [channelRequest(sender, messages as ComposedMessage, recipients, options)];
}

/** Addresses that may get no more messages for now. */
async function recipientsAtLimit(
  { prepare, atLimit }: AcceptingTransaction,
  { account }: ChannelSender,
  requestsTo: (recipients: readonly Recipient[]) => SendRequest[],
  contacts: readonly AddressedContact[],
): Promise<ReadonlySet<string>> {
  const mayBeRefused = watchOf(account) !== null || limitsOf(account).some(({ scope }) => scope === 'recipient');
  if (contacts.length === 0 || !mayBeRefused) return new Set();
  const requests = requestsTo(contacts.map(({ address }) => ({ digits: address, plus: false })));
  return atLimit(await Promise.all(requests.map(prepare)));
}

function without(request: SendRequest, addresses: ReadonlySet<string>): SendRequest {
  return { ...request, recipients: request.recipients.filter(({ digits }) => !addresses.has(digits)) };
}
