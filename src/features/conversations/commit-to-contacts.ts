import type pg from 'pg';
import type { PendingRequest } from '../../messages/accept/pending-request.js';
import type { AcceptingTransaction } from '../../messages/accept/within.js';
import type { Clock } from '../../platform/clock.js';
import { type ChannelSender, type ComposedMessage, channelRequest, type SendOptions } from './compose.js';
import { ensureConversations, type LockedContact, lockContacts, touchConversations } from './party-store.js';

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
  /** Whom it was about: some of those that were named may have become others. */
  contactIds: readonly string[];
}

/**
 * Commits a message to each of some contacts with whatever else the caller's transaction does: debit, messages and the
 * conversations that lack. Contacts that were deleted in between get none, nor do those whose number has moved on and of
 * whom nothing else is known.
 * @param transaction whose payer is the account of the sender
 * @param message the same for all of them, or composed for each
 * @returns null when the account cannot pay for all of them; then the transaction must be rolled back
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
  const found = (await lockContacts(client, scope, contactIds, options.campaignId)).filter(isAddressed);
  const composed = typeof message === 'function' ? await message(client, found) : null;
  const contacts = composed ? found.filter((_, index) => composed[index]) : found;
  const skipped = found.length - contacts.length;
  const contactIdsFound = found.map(({ id }) => id);
  if (contacts.length === 0) return { pending: [], skipped, contactIds: contactIdsFound };
  const ids = contacts.map((contact) => contact.id);
  const now = clock.now();
  const conversations = await ensureConversations(client, scope, ids, now);
  const recipients = contacts.map(({ id, address }) => ({
    digits: address,
    plus: false,
    contactId: id,
    conversationId: conversations.get(id),
  }));
  const requests = composed
    ? composed
        .filter((each) => each !== null)
        .map((each, index) => channelRequest(sender, each, recipients.slice(index, index + 1), options))
    : [channelRequest(sender, message as ComposedMessage, recipients, options)];
  const pending: PendingRequest[] = [];
  for (const request of requests) pending.push(await transaction.prepare(request));
  await touchConversations(client, [...conversations.values()], now);
  // One account pays for all of them: either it can or it cannot.
  const [outcome] = await transaction.commit(pending);
  return outcome === 'accepted' ? { pending, skipped, contactIds: contactIdsFound } : null;
}
